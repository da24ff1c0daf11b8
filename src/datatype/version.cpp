// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/version.hpp>

namespace typewarp {

std::string_view version() noexcept { return TYPEWARP_VERSION; }

}  // namespace typewarp
