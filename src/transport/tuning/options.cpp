// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"
#include "transport/tuning/profile.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace typewarp {
namespace {

constexpr std::string_view call = "typewarp::SessionOptions::from_environment";

constexpr std::array<std::string_view, 6> protocols{"automatic", "eager",     "pipelined",
                                                    "direct",    "gpu_aware", "ucx"};

}  // namespace

std::string_view name(Protocol protocol) noexcept { return protocols[static_cast<std::size_t>(protocol)]; }

SessionOptions SessionOptions::from_environment() {
  return transport::options_from_environment(transport::Profile::of_this_machine());
}

SessionOptions transport::options_from_environment(const Profile& profile) {
  SessionOptions options{.eager_bytes = profile.eager_bytes,
                         .direct_bytes = profile.direct_bytes,
                         .chunk_bytes = profile.chunk_bytes};
  const auto bytes = [](const char* name, std::int64_t& option) {
    if (const auto given = environment::number(call, name)) option = *given;
  };
  bytes("TYPEWARP_EAGER_BYTES", options.eager_bytes);
  bytes("TYPEWARP_DIRECT_BYTES", options.direct_bytes);
  bytes("TYPEWARP_CHUNK_BYTES", options.chunk_bytes);
  bytes("TYPEWARP_POOL_BYTES", options.pool_bytes);
  bytes("TYPEWARP_DEVICE_POOL_BYTES", options.device_pool_bytes);
  if (const auto named = environment::word(call, "TYPEWARP_PROTOCOL"))
    options.protocol = static_cast<Protocol>(*named);
  if (const auto limit = environment::number(call, "TYPEWARP_TIME_LIMIT_MS"))
    options.time_limit = std::chrono::milliseconds(*limit);
  if (const auto thread = environment::word(call, "TYPEWARP_PROGRESS_THREAD"))
    options.progress_thread = *thread != 0;
  return options;
}

}  // namespace typewarp
