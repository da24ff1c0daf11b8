// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/settings.hpp"

#include "environment/variables.hpp"
#include <typewarp/error.hpp>

#include <charconv>
#include <string>

namespace typewarp::interpose {

std::string_view setting(const char* name) noexcept {
  const char* const text = environment::value(name);
  return text != nullptr ? text : "";
}

std::int64_t bytes_setting(const char* name, std::int64_t usual, std::int64_t least) {
  constexpr std::int64_t most = std::int64_t{2} << 30;
  const std::string_view text = setting(name);
  if (text.empty()) return usual;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
    return value;
  const std::string rule = "must be a number from " + std::to_string(least) + " to " + std::to_string(most);
  throw InvalidArgument("typewarp", name, text, rule.c_str());
}

bool verbose() noexcept { return environment::is_set("TYPEWARP_VERBOSE"); }

Taking taking_of_environment() noexcept {
  const std::string_view asked = setting("TYPEWARP_TAKE");
  if (asked == "all") return Taking::all;
  if (asked == "stretches") return Taking::stretches;
  return asked == "derived" ? Taking::derived : Taking::gpu;
}

}  // namespace typewarp::interpose
