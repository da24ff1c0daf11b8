// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/version.h>

#include <string_view>

namespace typewarp {

/// The version of the library that the program is linked with, in the form of TYPEWARP_VERSION.
std::string_view version() noexcept;

}  // namespace typewarp
