// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signal/uploaded_copies.hpp"

#include "engine/runtime/displaced.hpp"
#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/operand.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace typewarp::gpu {
namespace {

using Tables = std::vector<std::unique_ptr<LongCopies>>;

/// Several long copies take turns, each with so many bytes: a device has some 16 MiB under way at a time, so
/// that what stays on it, and each of the links to others, are busy at once and not one after the other. Not
/// measured.
constexpr std::int64_t turn = std::int64_t{4} << 20;

/// A side as a kernel sees bytes `range` of it. Packed bytes are seen as if they began there: their indices
/// stay small.
class RangeSide {
 public:
  RangeSide(const Side& side, ByteRange range, const Device& device)
      : range_(side.plan != nullptr ? range : ByteRange{0, range.end - range.begin}),
        operand_(side.plan != nullptr ? side : from_byte(side, range.begin), range_, device) {}

  /// Bits whose lowest set one is the widest word that the side allows.
  std::int64_t alignment() const noexcept { return operand_.alignment() | range_.begin | range_.end; }
  CopySide view(int word_log2) const {
    CopySide side{};
    side.view = operand_.view(range_, word_log2, side.lookup);
    return side;
  }

 private:
  static Side from_byte(Side side, std::int64_t begin) {
    side.address = displaced(side.address, begin);
    return side;
  }

  ByteRange range_;
  Operand operand_;
};

/// False if the table has no room for it.
bool add(LongCopies& table, const CopyMember& member, ByteRange range, const Device& device) {
  const RangeSide to(member.destination, range, device);
  const RangeSide from(member.source, range, device);
  const std::int64_t bits = wide | to.alignment() | from.alignment();
  const int log2 = std::countr_zero(static_cast<std::uint64_t>(bits));
  const std::int64_t words = (range.end - range.begin) >> log2;
  return table.add(to.view(log2), from.view(log2), static_cast<std::uint32_t>(words), log2,
                   batch_tiles(words, log2), member.destination_moves, member.source_moves);
}

Tables tables_of(const std::vector<CopyMember>& members, const Device& device) {
  Tables tables;
  std::int64_t room = 0;  // bytes that the last table still takes: tiles are counted by 32 bits
  const auto long_ones =
      std::ranges::count_if(members, [](const CopyMember& member) { return member.bytes > turn; });
  const std::int64_t longest = std::ranges::max(members, {}, &CopyMember::bytes).bytes;
  const std::int64_t piece = long_ones > 1 ? turn : launch_limit;
  for (std::int64_t begin = 0; begin < longest; begin += piece) {
    for (const CopyMember& member : members) {
      if (begin >= member.bytes) continue;
      const ByteRange range{begin, std::min(begin + piece, member.bytes)};
      const std::int64_t bytes = range.end - range.begin;
      if (room < bytes || !add(*tables.back(), member, range, device)) {
        tables.push_back(std::make_unique<LongCopies>());
        room = launch_limit;
        add(*tables.back(), member, range, device);
      }
      room -= bytes;
    }
  }
  return tables;
}

}  // namespace

UploadedCopies::UploadedCopies(const std::vector<CopyMember>& members, Device& device) {
  const Tables tables = tables_of(members, device);
  static constexpr std::uint64_t none_ended = 0;
  std::vector<Upload> parts;
  for (const auto& table : tables) {
    constexpr std::size_t counter = sizeof none_ended;  // before the table, which it aligns
    std::byte* const place =
        memory_.emplace_back(device, static_cast<std::int64_t>(counter + sizeof(LongCopies))).data();
    parts.push_back({place, &none_ended, counter});
    parts.push_back({place + counter, table.get(), sizeof(LongCopies)});
    launches_.push_back({reinterpret_cast<const LongCopies*>(place + counter),
                         reinterpret_cast<std::uint32_t*>(place), table->tiles, table->regular});
  }
  upload(device, parts);
}

}  // namespace typewarp::gpu
