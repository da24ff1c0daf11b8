// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/environment.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

namespace typewarp::transport {

/// A file of the user's configuration of this library, whether or not it is there; empty where no variable
/// says where that is.
inline std::string config_file(std::string_view name) {
  std::string folder;
  if (const char* const config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    folder = config;
  } else if (const char* const home = std::getenv("HOME")) {
    folder = std::string(home).append("/.config");
  } else {
    return {};
  }
  return folder.append("/typewarp/").append(name);
}

struct ProfilePath {
  std::string name;        ///< empty: there is none
  bool asked_for = false;  ///< by TYPEWARP_PROFILE
};

/// The file of this machine's profile, whether or not it is there. Inline, for programs without an MPI.
inline ProfilePath profile_path() {
  if (const char* const named = environment::value("TYPEWARP_PROFILE")) return {named, true};
  return {config_file("profile"), false};
}

}  // namespace typewarp::transport
