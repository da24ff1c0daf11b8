// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

namespace typewarp::transport {

struct ProfilePath {
  std::string name;        ///< empty: there is none
  bool asked_for = false;  ///< by TYPEWARP_PROFILE
};

/// The file of this machine's profile, whether or not it is there. Inline, for programs without an MPI.
inline ProfilePath profile_path() {
  if (const char* const named = std::getenv("TYPEWARP_PROFILE")) return {named, true};
  constexpr std::string_view file = "/typewarp/profile";
  if (const char* const config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    return {std::string(config).append(file), false};
  }
  if (const char* const home = std::getenv("HOME")) {
    return {std::string(home).append("/.config").append(file), false};
  }
  return {};
}

}  // namespace typewarp::transport
