// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls of windows that have an info, but for those that may make a device's (creation.cpp).

#include "interpose/core/buffers/info_calls.hpp"

namespace typewarp::interpose {
namespace {

template <int base, class Unit>
int allocate(MPI_Aint bytes, Unit unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* made) noexcept {
  constexpr int number = twin<Unit>(base);
  return make_with_info<OfWindow, OfComm>(
      number, comm, info, made, [&] { return hand_on(number, bytes, unit, info, comm, memory, made); });
}

}  // namespace

void take_window_infos() noexcept {
  take(call::Win_allocate, allocate<call::Win_allocate, int>);
  take(call::Win_allocate_c, allocate<call::Win_allocate, MPI_Aint>);
  take(call::Win_allocate_shared, allocate<call::Win_allocate_shared, int>);
  take(call::Win_allocate_shared_c, allocate<call::Win_allocate_shared, MPI_Aint>);
  take(call::Win_set_info, set_info<OfWindow, call::Win_set_info>);
  take(call::Win_get_info, get_info<OfWindow, call::Win_get_info>);
}

}  // namespace typewarp::interpose
