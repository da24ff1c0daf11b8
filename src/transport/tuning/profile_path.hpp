// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/environment.hpp"

#include <cstdlib>
#include <string>

namespace typewarp::transport {

struct ProfilePath {
  std::string name;        ///< empty: there is none
  bool asked_for = false;  ///< by TYPEWARP_PROFILE
};

/// The file of this machine's profile, whether or not it exists. Inline, for programs without an MPI.
inline ProfilePath profile_path() {
  if (const char* const named = environment::value("TYPEWARP_PROFILE")) return {named, true};
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return {std::string(config) + "/typewarp/profile"};
  const char* const home = std::getenv("HOME");
  return home != nullptr ? ProfilePath{std::string(home) + "/.config/typewarp/profile"} : ProfilePath{};
}

}  // namespace typewarp::transport
