// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/profile.hpp"

#include "base/environment.hpp"
#include "transport/tuning/profile_path.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>

namespace typewarp::transport {
namespace {

constexpr std::string_view call = "typewarp::Session";
constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Cuts the text up to the next `end` off.
std::string_view take(std::string_view& text, char end) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

/// One line of a profile, and where it stands.
struct ProfileLine {
  std::string place;
  std::string_view name, value;

  [[noreturn]] void refuse(std::string_view what, std::string_view rule) const {
    throw InvalidArgument(call, place, what, rule);
  }
  template <typename Number>
  void read(Number& number, double least) const {
    Number read{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read);
    // Written so that a value that is not a number is refused, too.
    const bool fits = error == std::errc() && end == value.data() + value.size() &&
                      static_cast<double>(read) >= least && std::isfinite(static_cast<double>(read));
    if (!fits)
      refuse(value, std::string(name) + " must be a number of at least " +
                        std::to_string(static_cast<std::int64_t>(least)));
    number = read;
  }
};

void apply(const ProfileLine& entry, Profile& profile) {
  bool known = false;
  Profile::for_each(profile, [&](std::string_view name, auto& number, double least) {
    if (name != entry.name) return;
    known = true;
    entry.read(number, least);
  });
  if (!known) entry.refuse(entry.name, "is no number of a profile");
}

}  // namespace

Profile Profile::parse(std::string_view text, const std::string& source) {
  Profile profile;
  std::set<std::string_view> seen;
  for (int line = 1; !text.empty(); ++line) {
    std::string_view rest = take(text, '\n');
    rest = take(rest, '#');
    if (trimmed(rest).empty()) continue;
    ProfileLine entry{source + ":" + std::to_string(line), {}, {}};
    if (rest.find('=') == std::string_view::npos) entry.refuse(trimmed(rest), "must be 'name = number'");
    entry.name = trimmed(take(rest, '='));
    entry.value = trimmed(rest);
    if (!seen.insert(entry.name).second) entry.refuse(entry.name, "must not be there twice");
    apply(entry, profile);
  }
  return profile;
}

Profile Profile::of_this_machine() {
  const auto [name, asked_for] = profile_path();
  if (name.empty()) return {};
  std::ifstream file(name, std::ios::binary);
  std::string text;
  if (file.is_open()) std::getline(file, text, '\0');
  if (file.is_open() && !file.bad()) return parse(text, name);
  if (asked_for) throw InvalidArgument(call, "TYPEWARP_PROFILE", name, "cannot be read");
  return {};
}

}  // namespace typewarp::transport

namespace typewarp {
namespace {

constexpr std::string_view from_environment = "typewarp::SessionOptions::from_environment";

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
    if (const auto given = environment::number(from_environment, name)) option = *given;
  };
  bytes("TYPEWARP_EAGER_BYTES", options.eager_bytes);
  bytes("TYPEWARP_DIRECT_BYTES", options.direct_bytes);
  bytes("TYPEWARP_CHUNK_BYTES", options.chunk_bytes);
  bytes("TYPEWARP_POOL_BYTES", options.pool_bytes);
  bytes("TYPEWARP_DEVICE_POOL_BYTES", options.device_pool_bytes);
  if (const auto named = environment::word(from_environment, "TYPEWARP_PROTOCOL"))
    options.protocol = static_cast<Protocol>(*named);
  if (const auto limit = environment::number(from_environment, "TYPEWARP_TIME_LIMIT_MS"))
    options.time_limit = std::chrono::milliseconds(*limit);
  if (const auto thread = environment::word(from_environment, "TYPEWARP_PROGRESS_THREAD"))
    options.progress_thread = *thread != 0;
  return options;
}

}  // namespace typewarp
