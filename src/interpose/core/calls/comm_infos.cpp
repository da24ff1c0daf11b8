// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls of communicators that have an info.

#include "interpose/core/buffers/info_calls.hpp"

namespace typewarp::interpose {
namespace {

int dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_dup_with_info;
  return make_with_info<OfComm, OfComm>(number, comm, info, made,
                                        [&] { return hand_on(number, comm, info, made); });
}

// The handle is there at once, and takes attributes before the request is complete.
int idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) noexcept {
  constexpr int number = call::Comm_idup_with_info;
  return make_with_info<OfComm, OfComm>(number, comm, info, made,
                                        [&] { return hand_on(number, comm, info, made, request); });
}

int split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_split_type;
  return make_with_info<OfComm, OfComm>(number, comm, info, made,
                                        [&] { return hand_on(number, comm, type, key, info, made); });
}

int create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                      MPI_Comm* made) noexcept {
  constexpr int number = call::Comm_create_from_group;
  return make_with_info<OfComm, OfComm>(number, fallback_comm(), info, made,
                                        [&] { return hand_on(number, group, tag, info, handler, made); });
}

}  // namespace

void take_comm_infos() noexcept {
  take(call::Comm_set_info, set_info<OfComm, call::Comm_set_info>);
  take(call::Comm_get_info, get_info<OfComm, call::Comm_get_info>);
  take(call::Comm_dup_with_info, dup_with_info);
  take(call::Comm_idup_with_info, idup_with_info);
  take(call::Comm_split_type, split_type);
  take(call::Comm_create_from_group, create_from_group);
}

}  // namespace typewarp::interpose
