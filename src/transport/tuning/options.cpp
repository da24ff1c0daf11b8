// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "environment/variables.hpp"
#include "transport/tuning/profile.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace typewarp {
namespace {

constexpr std::string_view call = "typewarp::SessionOptions::from_environment";

constexpr std::array<std::pair<std::string_view, Protocol>, 6> protocols{{{"automatic", Protocol::automatic},
                                                                          {"eager", Protocol::eager},
                                                                          {"pipelined", Protocol::pipelined},
                                                                          {"direct", Protocol::direct},
                                                                          {"gpu_aware", Protocol::gpu_aware},
                                                                          {"ucx", Protocol::ucx}}};

std::int64_t number(const char* name, std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw InvalidArgument(call, name, text, "must be a number that is not negative");
  }
  return value;
}

Protocol parse_protocol(const char* name, std::string_view text) {
  for (const auto& [spelling, value] : protocols) {
    if (text == spelling) return value;
  }
  throw InvalidArgument(call, name, text, "must be automatic, eager, pipelined, direct, gpu_aware or ucx");
}

template <typename Set>
void read(const char* name, Set set) {
  const char* const text = environment::value(name);
  if (text != nullptr && *text != 0) set(name, std::string_view(text));
}

}  // namespace

std::string_view name(Protocol protocol) noexcept {
  return protocols[static_cast<std::size_t>(protocol)].first;
}

SessionOptions SessionOptions::from_environment() {
  return transport::options_from_environment(transport::Profile::of_this_machine());
}

SessionOptions transport::options_from_environment(const Profile& profile) {
  SessionOptions options{.eager_bytes = profile.eager_bytes,
                         .direct_bytes = profile.direct_bytes,
                         .chunk_bytes = profile.chunk_bytes};
  read("TYPEWARP_PROTOCOL", [&](auto* name, auto text) { options.protocol = parse_protocol(name, text); });
  read("TYPEWARP_EAGER_BYTES", [&](auto* name, auto text) { options.eager_bytes = number(name, text); });
  read("TYPEWARP_DIRECT_BYTES", [&](auto* name, auto text) { options.direct_bytes = number(name, text); });
  read("TYPEWARP_CHUNK_BYTES", [&](auto* name, auto text) { options.chunk_bytes = number(name, text); });
  read("TYPEWARP_POOL_BYTES", [&](auto* name, auto text) { options.pool_bytes = number(name, text); });
  read("TYPEWARP_DEVICE_POOL_BYTES",
       [&](auto* name, auto text) { options.device_pool_bytes = number(name, text); });
  read("TYPEWARP_TIME_LIMIT_MS",
       [&](auto* name, auto text) { options.time_limit = std::chrono::milliseconds(number(name, text)); });
  read("TYPEWARP_PROGRESS_THREAD",
       [&](auto* name, auto text) { options.progress_thread = number(name, text) != 0; });
  return options;
}

}  // namespace typewarp
