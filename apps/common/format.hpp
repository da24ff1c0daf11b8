// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace apps {

/// "1 KiB", "4 MiB".
std::string format_bytes(std::int64_t bytes);

}  // namespace apps
