// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/buffers.hpp"
#include "options.hpp"

#include <string>
#include <vector>

/// Which rows there are, in the order in which they are run.
namespace typewarp::halo_bench {

using harness::Place;

/// What each rank has: a cube of cells, and some arrays of doubles over it, all with a halo of one width.
struct Case {
  std::string name;
  std::int64_t edge;  ///< owned cells along each dimension
  std::int64_t fields;
  std::int64_t width;
};

/// A row to be measured.
struct Item {
  std::int64_t index;  ///< among all that this command line asks for
  Case which;
  Place place;
  std::string method;

  std::string text() const;
  /// Whether the library exchanges, and not what one would write without it.
  bool of_library() const;
  /// Whether it is the MPI that is asked, under the preload library.
  bool preloaded() const;
  /// Whether something is computed meanwhile.
  bool overlaps() const;
};

/// Of the halo exchanges, in the order in which they are run: see docs/internals/measuring.md.
namespace method {
inline constexpr const char* automatic = "automatic";
inline constexpr const char* tuned = "tuned";
inline constexpr const char* manual = "manual";
inline constexpr const char* manual_pinned = "manual_pinned";
inline constexpr const char* datatype = "datatype";
inline constexpr const char* kernels_staged = "hand_kernels_staged";
inline constexpr const char* kernels_peer = "hand_kernels_peer";
inline constexpr const char* memcpy3d_staged = "hand_memcpy3d_staged";
inline constexpr const char* datatype_on_copies = "plain_datatype_on_copies";
inline constexpr const char* loops = "hand_loops";
inline constexpr const char* plain_mpi_pack = "plain_mpi_pack";
inline constexpr const char* plain_datatype = "plain_datatype";
inline constexpr const char* preloaded_mpi_pack = "preloaded_mpi_pack";
inline constexpr const char* preloaded_datatype = "preloaded_datatype";
/// Beside a stencil: in one pass over the interior, in several, or with more arithmetic than memory accesses.
inline constexpr const char* overlap = "overlap";
inline constexpr const char* overlap_in_slices = "overlap_in_slices";
inline constexpr const char* overlap_arithmetic = "overlap_arithmetic";
}  // namespace method

/// Throws Error for a wrong filter.
std::vector<Item> agenda(const Options& options, bool devices);

}  // namespace typewarp::halo_bench
