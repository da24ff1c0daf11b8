// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/kernels/layouts.hpp"

namespace typewarp::gpu {
namespace {

/// Thread blocks that fill a link and leave the other multiprocessors to an application: of layouts in words
/// of at least `word` bytes, from so many bytes on of regular and of other ones, and of any move that was to
/// spare the multiprocessors and that copy engines cannot do. They have 512 KiB in flight, of which PCIe 5
/// needs a half, and a link of 450 GB/s what it takes 1.1 us to pass. Measured on an H100
/// (docs/contention.md).
struct FewBlocksPolicy {
  int blocks = 16;
  int word = 8;
  std::int64_t from = std::int64_t{2} << 20;
  std::int64_t of_lists = std::int64_t{8} << 20;
};
constexpr FewBlocksPolicy few_blocks;

bool always(const Query&) { return true; }

/// What is urgent by a hint takes all blocks: beside kernels that memory bounds, few would take 2.8 times as
/// long as alone. So do lists in a graph, where few blocks would have no priority to gain by.
bool suits_bounded(const Query& query) {
  const MoveTraits& move = query.move;
  if (query.hints.max_blocks > 0) return true;
  if (!passes_pcie(move) || !move.has_packed_side() || query.hints.priority == Priority::high) return false;
  const Shape& shape = move.layout().shape();
  if (1 << move.word_log2 < few_blocks.word) return false;
  const bool regular = shape.lookup == Lookup::none && shape.fits(move.word_log2);
  if (regular) return move.bytes() >= few_blocks.from;
  return !query.recorded && move.bytes() >= few_blocks.of_lists;
}

}  // namespace

constinit const MethodRow bounded_row{
    .method = Method::bounded,
    .rule =
        [] {
          return "where hints ask for few thread blocks; to or from host memory, " +
                 bytes_text(few_blocks.from) + " and more of regular layouts and " +
                 bytes_text(few_blocks.of_lists) + " of others, in words of " +
                 std::to_string(few_blocks.word) + " B and more, by " + std::to_string(few_blocks.blocks) +
                 " blocks of the highest priority, unless a hint asks for that";
        },
    .needs = "nothing",
    .can = always,
    .suits = suits_bounded};

constinit const MethodRow layouts_row{
    .method = Method::layouts,
    .rule = [] { return std::string("from layout to layout: word by word on both sides"); },
    .needs = "nothing",
    .can = always,
    .suits = always};

/// For comparison only; it is what others fall back to, where nothing else finds the words of a layout.
constinit const MethodRow generic_row{
    .method = Method::generic,
    .rule =
        [] {
          return std::string("where hints ask for it, for comparison: each word by a walk through the tree");
        },
    .needs = "a layout",
    .can =
        [](const Query& query) {
          return query.move.destination.has_items() || query.move.source.has_items();
        },
    .suits = [](const Query&) { return false; }};

int block_limit(const Hints& hints) { return hints.max_blocks > 0 ? hints.max_blocks : few_blocks.blocks; }

}  // namespace typewarp::gpu
