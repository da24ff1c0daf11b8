// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace hacc {

/// The ways to move a block.
enum class By : std::uint8_t {
  members,   ///< one copy a member, into a staging buffer
  hand,      ///< one loop or kernel over a table of members, written for this block, into a staging buffer
  mpi,       ///< one datatype of the MPI, in plain MPI calls
  typewarp,  ///< one datatype, in calls of the library
};
std::string_view name(By way) noexcept;

}  // namespace hacc
