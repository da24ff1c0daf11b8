// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::interpose {

/// Whether the environment sets `name` to 1.
bool is_set(const char* name) noexcept;

/// With TYPEWARP_VERBOSE=1, one line on stderr; else nothing. As printf.
[[gnu::format(printf, 1, 2)]] void report(const char* format, ...) noexcept;

}  // namespace typewarp::interpose
