// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/memory.hpp"

#include <typewarp/datatype.hpp>
#include <typewarp/engine.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hacc {

/// What a block begins with: the counts and the bounds of 003, figure 7.
struct Header {
  std::int32_t num_verts;           ///< different vertices
  std::int32_t num_cells;           ///< Voronoi cells, one a particle
  std::int32_t num_cell_verts;      ///< vertices of all cells
  std::int32_t num_complete_cells;  ///< cells that do not reach the border of the block
  std::int32_t num_cell_faces;      ///< faces of all cells
  std::int32_t num_face_verts;      ///< vertices of all faces
  std::int32_t num_orig_particles;
  std::array<float, 3> mins, maxs;
};
static_assert(sizeof(Header) == 52);

/// The arrays of a block, in the order of figure 7. All elements have four bytes.
enum class Array : std::size_t {
  vertices,
  sites,
  areas,
  vols,
  cells,
  face_verts,
  num_cell_faces,
  num_face_verts,
};
inline constexpr std::size_t arrays = 8;

/// Elements of each array.
std::array<std::int64_t, arrays> lengths(const Header& header);
/// Of each array.
typewarp::Named element(Array array);

/// A piece of a block that is contiguous in memory.
struct Member {
  std::byte* data;
  std::int64_t bytes;
};

/// The Voronoi cells of one rank's particles: a header, and arrays of different lengths, each allocated for
/// itself as the program that computes them does.
class Block {
 public:
  /// Zeroed memory of `kind` for the arrays that `header` counts, and for the header itself, which is not
  /// filled in. Throws std::bad_alloc or typewarp::Error.
  Block(typewarp::MemoryKind kind, const Header& header);

  typewarp::MemoryKind kind() const noexcept { return kind_; }
  /// The counts, in any case on the host.
  const Header& header() const noexcept { return header_; }
  /// The header, then the arrays.
  const std::array<Member, 1 + arrays>& members() const noexcept { return members_; }
  std::int64_t bytes() const noexcept;

  /// The elements of an array that the host can address.
  template <typename T>
  std::span<T> array(Array which) const {
    const Member& member = members_[1 + static_cast<std::size_t>(which)];
    return {reinterpret_cast<T*>(member.data), static_cast<std::size_t>(member.bytes) / sizeof(T)};
  }

 private:
  typewarp::MemoryKind kind_;
  Header header_;
  apps::Buffer head_;
  std::array<apps::Buffer, arrays> buffers_;
  std::array<Member, 1 + arrays> members_;
};

/// The same block in memory of another kind.
Block copied(const Block& block, typewarp::MemoryKind kind, const apps::OwnedStream& stream);

/// Whether two blocks in host memory have the same bytes in every member.
bool equal(const Block& a, const Block& b);

}  // namespace hacc
