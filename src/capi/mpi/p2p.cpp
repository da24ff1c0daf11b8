// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/p2p.h>

#include "capi/mpi/request.hpp"

#include <typewarp/p2p.hpp>

using namespace typewarp;
using namespace typewarp::capi;

tw_result tw_send(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                  MPI_Comm comm, tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    send(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_ssend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                   MPI_Comm comm, tw_stream stream) {
  return guarded(__func__, [&](const char* call) {
    ssend(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_recv(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                  tw_stream stream, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    store(recv(buffer, count, value_of(call, plan), source, tag, comm, Stream(stream)), status);
  });
}

tw_result tw_sendrecv(const void* send_buffer, int64_t send_count, const tw_plan* send_plan, int destination,
                      int send_tag, void* recv_buffer, int64_t recv_count, const tw_plan* recv_plan,
                      int source, int recv_tag, MPI_Comm comm, tw_stream stream, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    const Plan& sent = value_of(call, send_plan, "send_plan");
    const Plan& received = value_of(call, recv_plan, "recv_plan");
    store(sendrecv(send_buffer, send_count, sent, destination, send_tag, recv_buffer, recv_count, received,
                   source, recv_tag, comm, Stream(stream)),
          status);
  });
}

tw_result tw_isend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                   MPI_Comm comm, tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return isend(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_issend(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                    MPI_Comm comm, tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return issend(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_irecv(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                   tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return irecv(buffer, count, value_of(call, plan), source, tag, comm, Stream(stream));
  });
}

tw_result tw_send_init(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                       MPI_Comm comm, tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return send_init(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_ssend_init(const void* buffer, int64_t count, const tw_plan* plan, int destination, int tag,
                        MPI_Comm comm, tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return ssend_init(buffer, count, value_of(call, plan), destination, tag, comm, Stream(stream));
  });
}

tw_result tw_recv_init(void* buffer, int64_t count, const tw_plan* plan, int source, int tag, MPI_Comm comm,
                       tw_stream stream, tw_request** request) {
  return create(__func__, request, [&](const char* call) {
    return recv_init(buffer, count, value_of(call, plan), source, tag, comm, Stream(stream));
  });
}
