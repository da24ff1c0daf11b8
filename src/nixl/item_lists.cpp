// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/item_lists.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace typewarp::nixl {
namespace {

/// Addresses of runs of one length.
struct PlacePairs {
  std::vector<std::byte*> from, to;
};

class PairsByLength {
 public:
  void add(const ByteRun& run) {
    if (last_ == nullptr || run.bytes != last_bytes_) {  // in most lists all have one length
      last_ = &all_[run.bytes];
      last_bytes_ = run.bytes;
    }
    last_->from.push_back(run.from);
    last_->to.push_back(run.to);
  }
  const std::map<std::int64_t, PlacePairs>& all() const noexcept { return all_; }

 private:
  std::map<std::int64_t, PlacePairs> all_;
  PlacePairs* last_ = nullptr;
  std::int64_t last_bytes_ = 0;
};

bool has_few_lengths(std::span<const ByteRun> runs) {
  std::vector<std::int64_t> found;
  for (const ByteRun& run : runs) {
    if (std::find(found.rbegin(), found.rend(), run.bytes) != found.rend()) continue;
    if (found.size() == most_lengths) return false;
    found.push_back(run.bytes);
  }
  return true;
}

/// The longest pieces come first, so that their addresses are aligned as that of the run is.
void add_in_pieces(PairsByLength& all, ByteRun rest) {
  while (rest.bytes > 0) {
    const auto piece = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rest.bytes)));
    all.add({rest.from, rest.to, piece});
    rest = {rest.from + piece, rest.to + piece, rest.bytes - piece};
  }
}

constexpr std::uint64_t widest_word = 16;

/// The stride is a power of two: where thousands of places are looked at, shifts take a tenth of divisions.
ItemSide side_of(const std::vector<std::byte*>& places) {
  const auto [lowest, highest] = std::ranges::minmax_element(places);
  std::uint64_t bits = 0;
  for (const std::byte* place : places) bits |= static_cast<std::uint64_t>(place - *lowest);
  // One place has any stride, and the kernel moves words that divide all strides.
  const int shift = bits != 0 ? std::countr_zero(bits) : std::countr_zero(widest_word);
  ItemSide side{*lowest, std::int64_t{1} << shift, ((*highest - *lowest) >> shift) + 1, {}};
  side.indices.reserve(places.size());
  for (const std::byte* place : places) side.indices.push_back((place - side.first) >> shift);
  return side;
}

}  // namespace

std::vector<ItemList> item_lists_of(std::span<const ByteRun> runs) {
  PairsByLength all;
  const bool whole = has_few_lengths(runs);
  for (const ByteRun& run : runs) {
    if (run.bytes == 0) continue;
    whole ? all.add(run) : add_in_pieces(all, run);
  }
  std::vector<ItemList> lists;
  for (const auto& [bytes, places] : all.all())
    lists.push_back({bytes, side_of(places.from), side_of(places.to)});
  return lists;
}

}  // namespace typewarp::nixl
