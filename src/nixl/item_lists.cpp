// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/item_lists.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace typewarp::nixl {
namespace {

constexpr std::uint64_t widest_word = 16;  ///< of a kernel, in bytes

/// Runs by their length, with addresses in place of indices until all are there.
class ListsByLength {
 public:
  void add(const ByteRun& run) {
    if (last_ == nullptr || run.bytes != last_->bytes) last_ = &of(run.bytes);  // in most lists all have one
    last_->from.indices.push_back(reinterpret_cast<std::intptr_t>(run.from));
    last_->to.indices.push_back(reinterpret_cast<std::intptr_t>(run.to));
  }
  /// Room for so many runs of a length; growing would cost more than all else.
  void reserve(std::int64_t bytes, std::size_t runs) {
    of(bytes).from.indices.reserve(runs);
    of(bytes).to.indices.reserve(runs);
  }
  std::vector<ItemList> take() && {
    std::vector<ItemList> lists;
    for (auto& [bytes, list] : all_) {
      number(list.from);
      number(list.to);
      lists.push_back(std::move(list));
    }
    return lists;
  }

 private:
  ItemList& of(std::int64_t bytes) { return all_.try_emplace(bytes, ItemList{bytes, {}, {}}).first->second; }

  /// Strides are powers of two: where thousands of places are looked at, shifts take a tenth of divisions.
  static void number(ItemSide& side) {
    const auto [lowest, highest] = std::ranges::minmax(side.indices);
    std::uint64_t bits = 0;
    for (const std::int64_t place : side.indices) bits |= static_cast<std::uint64_t>(place - lowest);
    // One place has any stride, and the kernel moves words that divide all strides.
    const int shift = std::countr_zero(bits != 0 ? bits : widest_word);
    for (std::int64_t& place : side.indices) place = (place - lowest) >> shift;
    side.first = reinterpret_cast<std::byte*>(lowest);
    side.stride = std::int64_t{1} << shift;
    side.count = ((highest - lowest) >> shift) + 1;
  }

  std::map<std::int64_t, ItemList> all_;
  ItemList* last_ = nullptr;
};

/// How many runs have each length; nothing where there are too many lengths.
std::map<std::int64_t, std::size_t> counted(std::span<const ByteRun> runs) {
  std::map<std::int64_t, std::size_t> counts;
  auto last = counts.end();
  for (const ByteRun& run : runs) {
    if (run.bytes == 0) continue;
    if (last == counts.end() || last->first != run.bytes) last = counts.try_emplace(run.bytes, 0).first;
    ++last->second;
    if (counts.size() > most_lengths) return {};
  }
  return counts;
}

/// The longest pieces come first, so that their addresses are aligned as that of the run is.
void add_in_pieces(ListsByLength& all, ByteRun rest) {
  while (rest.bytes > 0) {
    const auto piece = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rest.bytes)));
    all.add({rest.from, rest.to, piece});
    rest = {rest.from + piece, rest.to + piece, rest.bytes - piece};
  }
}

}  // namespace

int ItemSide::index_bytes() const noexcept {
  return count <= std::numeric_limits<std::int32_t>::max() ? 4 : 8;
}

std::int64_t ItemSide::list_bytes() const noexcept {
  return (std::ssize(indices) * index_bytes() + 7) / 8 * 8;
}

void ItemSide::write_list(std::byte* to) const {
  if (index_bytes() == 8) {
    std::ranges::copy(indices, reinterpret_cast<std::int64_t*>(to));
    return;
  }
  std::ranges::transform(indices, reinterpret_cast<std::int32_t*>(to),
                         [](std::int64_t index) { return static_cast<std::int32_t>(index); });
}

std::vector<ItemList> item_lists_of(std::span<const ByteRun> runs) {
  ListsByLength all;
  const std::map<std::int64_t, std::size_t> counts = counted(runs);
  for (const auto& [bytes, count] : counts) all.reserve(bytes, count);
  for (const ByteRun& run : runs) {
    if (run.bytes == 0) continue;
    counts.empty() ? add_in_pieces(all, run) : all.add(run);
  }
  return std::move(all).take();
}

}  // namespace typewarp::nixl
