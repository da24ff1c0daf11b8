// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace typewarp::transport {

/// What a system is asked by to take the pages of mapped memory: its madvise(), but in tests.
using Advise = int(void* first, std::size_t bytes, int advice) noexcept;

/// Takes the pages of `bytes` bytes of mapped memory from `first` on, whole pages. False if the system has
/// none: whoever wrote there then would be killed by a signal. Precondition: nothing but zeros is there yet.
bool populate(std::byte* first, std::int64_t bytes, Advise* advise) noexcept;
bool populate(std::byte* first, std::int64_t bytes) noexcept;

}  // namespace typewarp::transport
