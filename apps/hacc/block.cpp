// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/block.hpp"

#include <cstring>
#include <utility>

namespace hacc {
namespace {

constexpr std::int64_t element_bytes = 4;

std::array<apps::Buffer, arrays> allocate(typewarp::MemoryKind kind, const Header& header) {
  const auto counts = lengths(header);
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array{apps::Buffer(kind, counts[i] * element_bytes)...};
  }(std::make_index_sequence<arrays>());
}

}  // namespace

std::array<std::int64_t, arrays> lengths(const Header& header) {
  return {3 * std::int64_t{header.num_verts},
          3 * std::int64_t{header.num_orig_particles},
          header.num_complete_cells,
          header.num_complete_cells,
          header.num_cell_verts,
          header.num_face_verts,
          header.num_complete_cells,
          header.num_cell_faces};
}

typewarp::Named element(Array array) {
  return array <= Array::vols ? typewarp::Named::float_ : typewarp::Named::int_;
}

Block::Block(typewarp::MemoryKind kind, const Header& header)
    : kind_(kind), header_(header), head_(kind, sizeof(Header)), buffers_(allocate(kind, header)) {
  members_[0] = {head_.data(), sizeof(Header)};
  const auto counts = lengths(header);
  for (std::size_t i = 0; i < arrays; ++i) {
    members_[1 + i] = {buffers_[i].data(), counts[i] * element_bytes};
  }
}

std::int64_t Block::bytes() const noexcept {
  std::int64_t sum = 0;
  for (const Member& member : members_) {
    sum += member.bytes;
  }
  return sum;
}

Block copied(const Block& block, typewarp::MemoryKind kind, const apps::OwnedStream& stream) {
  Block copy(kind, block.header());
  for (std::size_t i = 0; i < block.members().size(); ++i) {
    apps::copy_bytes(copy.members()[i].data, block.members()[i].data, block.members()[i].bytes, stream);
  }
  return copy;
}

bool equal(const Block& a, const Block& b) {
  for (std::size_t i = 0; i < a.members().size(); ++i) {
    const Member& mine = a.members()[i];
    const Member& other = b.members()[i];
    if (mine.bytes != other.bytes ||
        std::memcmp(mine.data, other.data, static_cast<std::size_t>(mine.bytes)) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace hacc
