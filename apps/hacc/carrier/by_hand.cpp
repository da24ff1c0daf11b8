// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/by_hand.hpp"

#include "hacc/gpu/gpu.hpp"

namespace hacc {

ByHand::ByHand(const Block& block, const apps::OwnedStream& stream)
    : Staged(block), table_{}, stream_(stream) {
  static_assert(MemberTable::members == 1 + arrays);
  int next = 0;
  for (const Member& member : block.members()) {
    table_.data[next] = reinterpret_cast<std::uint32_t*>(member.data);
    table_.first[next + 1] =
        table_.first[next] + member.bytes / static_cast<std::int64_t>(sizeof(std::uint32_t));
    ++next;
  }
}

void ByHand::pack(std::byte* packed) {
  std::uint32_t* words = reinterpret_cast<std::uint32_t*>(packed);
  if (stream_.get() != nullptr) {
    gpu::gather_members(table_, words, stream_.get());
    return stream_.synchronize();
  }
  for (int member = 0; member < MemberTable::members; ++member) {
    gather_member(table_, member, words, 0, 1);
  }
}

void ByHand::unpack(const std::byte* packed) {
  const std::uint32_t* words = reinterpret_cast<const std::uint32_t*>(packed);
  if (stream_.get() != nullptr) {
    gpu::scatter_members(table_, words, stream_.get());
    return stream_.synchronize();
  }
  for (int member = 0; member < MemberTable::members; ++member) {
    scatter_member(table_, member, words, 0, 1);
  }
}

}  // namespace hacc
