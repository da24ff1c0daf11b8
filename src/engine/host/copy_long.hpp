// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace typewarp::host {

/// Copies `length` >= 64 bytes that do not overlap.
using CopyLong = void (*)(std::byte* to, const std::byte* from, std::int64_t length);

/// The fastest way for data that the caches hold. The loops of wide, aligned stores are there because memcpy,
/// by a string instruction, loses a factor of up to 60 on some machines where source and destination lie
/// badly to each other within a page.
extern CopyLong copy_long;

/// One way for every instruction set, of which this machine may lack some.
struct CopyVariant {
  const char* name;
  CopyLong copy;
  bool supported;
};
std::span<const CopyVariant> copy_variants() noexcept;

}  // namespace typewarp::host
