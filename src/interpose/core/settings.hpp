// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

/// What the environment asks for.
namespace typewarp::interpose {

/// The value of a variable; empty if it is not set.
std::string_view setting(const char* name) noexcept;
/// A number of bytes, up to 2 GiB, of which an int counts each half; `usual` if it is not set. Throws
/// InvalidArgument for what is none, or less than `least`.
std::int64_t bytes_setting(const char* name, std::int64_t usual, std::int64_t least);
/// Whether TYPEWARP_VERBOSE=1 asks for messages on stderr.
bool verbose() noexcept;

/// Which buffers TYPEWARP_TAKE has taken.
enum class Taking : std::uint8_t {
  gpu,        ///< buffers that a device has, and managed memory
  derived,    ///< these, and derived types of host memory that are not consecutive
  all,        ///< all
  stretches,  ///< all, and each block at MPI_BOTTOM as if it lay in a memory of its own
};
Taking taking_of_environment() noexcept;

}  // namespace typewarp::interpose
