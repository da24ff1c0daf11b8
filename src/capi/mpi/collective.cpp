// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/collective.h>

#include "capi/mpi/request.hpp"

#include <typewarp/collective.hpp>

using namespace typewarp;
using namespace typewarp::capi;

namespace {

/// Calls `of` with the parts converted.
template <class Of>
auto with_parts(const char* call, Of of, int send_count, const tw_send_part* sends, int recv_count,
                const tw_recv_part* receives, MPI_Comm comm, tw_stream stream) {
  const auto from = parts_of<SendPart>(call, "send_count", send_count, "sends", sends);
  const auto to = parts_of<RecvPart>(call, "recv_count", recv_count, "receives", receives);
  try {
    return of(from, to, comm, Stream(stream));
  } catch (const InvalidArgument& error) {
    throw with_counts(error, call);
  }
}

template <class... Given>
tw_result called(const char* call, Given... given) noexcept {
  return guarded(call, [&] { with_parts(call, given...); });
}

template <class... Given>
tw_result called(const char* call, tw_request** request, Given... given) noexcept {
  return create(call, request, [&](const char*) { return with_parts(call, given...); });
}

}  // namespace

tw_result tw_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                       const tw_recv_part* receives, MPI_Comm comm, tw_stream stream) {
  return called(__func__, &alltoallw, send_count, sends, recv_count, receives, comm, stream);
}

tw_result tw_ialltoallw(int send_count, const tw_send_part* sends, int recv_count,
                        const tw_recv_part* receives, MPI_Comm comm, tw_stream stream, tw_request** request) {
  return called(__func__, request, &ialltoallw, send_count, sends, recv_count, receives, comm, stream);
}

tw_result tw_neighbor_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                                const tw_recv_part* receives, MPI_Comm comm, tw_stream stream) {
  return called(__func__, &neighbor_alltoallw, send_count, sends, recv_count, receives, comm, stream);
}

tw_result tw_ineighbor_alltoallw(int send_count, const tw_send_part* sends, int recv_count,
                                 const tw_recv_part* receives, MPI_Comm comm, tw_stream stream,
                                 tw_request** request) {
  return called(__func__, request, &ineighbor_alltoallw, send_count, sends, recv_count, receives, comm,
                stream);
}
