// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/settings.hpp"

#include <cstdlib>

namespace typewarp::interpose {

std::string_view setting(const char* name) noexcept {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

bool verbose() noexcept { return setting("TYPEWARP_VERBOSE") == "1"; }

Taking taking_of_environment() noexcept {
  const std::string_view asked = setting("TYPEWARP_TAKE");
  if (asked == "all") return Taking::all;
  if (asked == "stretches") return Taking::stretches;
  return asked == "derived" ? Taking::derived : Taking::gpu;
}

}  // namespace typewarp::interpose
