// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

// The version of these headers, and the one place that it is written at.
#define TYPEWARP_VERSION_MAJOR 0
#define TYPEWARP_VERSION_MINOR 2
#define TYPEWARP_VERSION_PATCH 0

#define TYPEWARP_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define TYPEWARP_VERSION_TEXT(major, minor, patch) TYPEWARP_VERSION_TEXT_OF(major, minor, patch)
/// "0.2.0"
#define TYPEWARP_VERSION \
  TYPEWARP_VERSION_TEXT(TYPEWARP_VERSION_MAJOR, TYPEWARP_VERSION_MINOR, TYPEWARP_VERSION_PATCH)

namespace typewarp {

/// The version of the library that the program is linked with, as TYPEWARP_VERSION.
std::string_view version() noexcept;

}  // namespace typewarp
