// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/p2p.h>

#include "capi/mpi/request.hpp"

#include <typewarp/probe.hpp>

#include <utility>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_message {
  Message message;
};

tw_result tw_probe(int source, int tag, MPI_Comm comm, tw_status* status) {
  return guarded(__func__, [&] { store(probe(source, tag, comm), status); });
}

tw_result tw_iprobe(int source, int tag, MPI_Comm comm, int* found, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    require(found, call, "found");
    const std::optional<Status> seen = iprobe(source, tag, comm);
    *found = seen ? 1 : 0;
    if (seen) store(*seen, status);
  });
}

tw_result tw_mprobe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    require(message, call, "message");
    // First, since a message that was taken could not be put back.
    auto taken = std::make_unique<tw_message>();
    taken->message = mprobe(source, tag, comm);
    store(taken->message.status(), status);
    *message = taken.release();
  });
}

tw_result tw_improbe(int source, int tag, MPI_Comm comm, tw_message** message, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    require(message, call, "message");
    auto taken = std::make_unique<tw_message>();
    std::optional<Message> found = improbe(source, tag, comm);
    *message = nullptr;
    if (!found) return;
    store(found->status(), status);
    taken->message = *std::move(found);
    *message = taken.release();
  });
}

tw_result tw_imrecv(void* buffer, int64_t count, const tw_plan* plan, tw_message** message, MPI_Comm comm,
                    tw_stream stream, tw_request** request) {
  return guarded(__func__, [&](const char* call) {
    require(message, call, "message");
    require(*message, call, "*message");
    require(request, call, "request");
    auto made = std::make_unique<tw_request>();
    made->value =
        imrecv(buffer, count, value_of(call, plan), std::move((*message)->message), comm, Stream(stream));
    *request = made.release();
    delete std::exchange(*message, nullptr);
  });
}
