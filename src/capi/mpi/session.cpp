// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/session.h>

#include "capi/arguments.hpp"
#include "halo/agreement.hpp"

#include <typewarp/session.hpp>

using namespace typewarp;
using namespace typewarp::capi;

static_assert(is(Protocol::automatic, TW_PROTOCOL_AUTOMATIC) && is(Protocol::eager, TW_PROTOCOL_EAGER) &&
              is(Protocol::pipelined, TW_PROTOCOL_PIPELINED) && is(Protocol::direct, TW_PROTOCOL_DIRECT) &&
              is(Protocol::gpu_aware, TW_PROTOCOL_GPU_AWARE) && is(Protocol::ucx, TW_PROTOCOL_UCX));
// Programs allocate it: if it grows, raise TYPEWARP_ABI_VERSION.
static_assert(sizeof(tw_session_options) == 56);

struct tw_session {
  static constexpr const char* name = "session";
  Session value;
};

namespace {

tw_session_options in_c(const SessionOptions& options) {
  return {options.eager_bytes,
          options.direct_bytes,
          options.chunk_bytes,
          options.pool_bytes,
          options.device_pool_bytes,
          options.time_limit.count(),
          static_cast<int>(options.protocol),
          options.progress_thread ? 1 : 0};
}

SessionOptions options_of(const char* call, const tw_session_options& options) {
  SessionOptions made;
  made.eager_bytes = options.eager_bytes;
  made.direct_bytes = options.direct_bytes;
  made.chunk_bytes = options.chunk_bytes;
  made.pool_bytes = options.pool_bytes;
  made.device_pool_bytes = options.device_pool_bytes;
  made.time_limit = std::chrono::milliseconds(options.time_limit);
  made.protocol = choice(call, "options.protocol", options.protocol, Protocol::ucx);
  made.progress_thread = options.progress_thread != 0;
  return made;
}

}  // namespace

tw_result tw_session_options_default(tw_session_options* options) {
  return guarded(__func__, [&](const char* call) {
    require(options, call, "options");
    *options = in_c(SessionOptions{});
  });
}

tw_result tw_session_options_from_environment(tw_session_options* options) {
  return guarded(__func__, [&](const char* call) {
    require(options, call, "options");
    *options = in_c(SessionOptions::from_environment());
  });
}

tw_result tw_session_create(MPI_Comm comm, const tw_session_options* options, tw_session** session) {
  return guarded(__func__, [&](const char* call) {
    halo::check_communicator(call, "comm", comm);
    SessionOptions chosen;
    halo::together(comm, [&] {
      require(session, call, "session");
      if (options != nullptr) chosen = options_of(call, *options);
    });
    *session = options == nullptr ? new tw_session{Session(comm)} : new tw_session{Session(comm, chosen)};
  });
}

void tw_session_free(tw_session* session) { delete session; }

tw_result tw_session_get_options(const tw_session* session, tw_session_options* options) {
  return guarded(__func__, [&](const char* call) {
    const Session& made = value_of(call, session);
    require(options, call, "options");
    *options = in_c(made.options());
  });
}

tw_result tw_session_possible(const tw_session* session, int protocol, int* possible) {
  return guarded(__func__, [&](const char* call) {
    const Session& made = value_of(call, session);
    const Protocol asked = choice(call, "protocol", protocol, Protocol::ucx);
    require(possible, call, "possible");
    *possible = made.possible(asked) ? 1 : 0;
  });
}

tw_result tw_progress() {
  return guarded(__func__, [] { progress(); });
}
