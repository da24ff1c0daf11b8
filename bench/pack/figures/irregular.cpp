// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "problems.hpp"

#include <algorithm>
#include <numeric>
#include <random>

/// The layouts that are lists, and those of structs.
namespace typewarp::bench {
namespace {

constexpr std::int64_t real = 8;  // bytes of a double

/// The same numbers in every run.
class Random {
 public:
  std::int64_t from_to(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  void shuffle(std::vector<std::int64_t>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[engine_() % i]);
  }

 private:
  std::mt19937_64 engine_{2012};
};

Problem equal_blocks(std::int64_t block, std::vector<std::int64_t> displacements) {
  HandCoded hand = hand_indexed_block(block, displacements);
  return {hindexed_block(1, std::move(displacements), contiguous(block, Named::byte)), 1, std::move(hand)};
}

}  // namespace

Problem cells(std::int64_t packed, Sequence sequence) {
  constexpr std::int64_t cell = 64;
  Random random;
  std::vector<std::int64_t> displacements(static_cast<std::size_t>(packed / real));
  std::int64_t at = 0;
  for (std::int64_t& displacement : displacements) {
    displacement = at + real * random.from_to(0, cell / real - 1);
    at += cell;
  }
  if (sequence == Sequence::shuffled) random.shuffle(displacements);
  return equal_blocks(real, std::move(displacements));
}

Problem permutation(std::int64_t packed) {
  std::vector<std::int64_t> displacements(static_cast<std::size_t>(packed / real));
  std::iota(displacements.begin(), displacements.end(), 0);
  Random().shuffle(displacements);
  for (std::int64_t& displacement : displacements) displacement *= real;
  return equal_blocks(real, std::move(displacements));
}

Problem scattered_blocks(std::int64_t packed, std::int64_t block) {
  Random random;
  std::vector<std::int64_t> displacements(static_cast<std::size_t>(packed / block));
  std::int64_t at = 0;
  for (std::int64_t& displacement : displacements) {
    displacement = at;
    at += block * random.from_to(2, 8);
  }
  return equal_blocks(block, std::move(displacements));
}

Problem varying_blocks(std::int64_t packed) {
  Random random;
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::int64_t at = 0;
  for (std::int64_t left = packed / real; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, random.from_to(1, 7)));
    displacements.push_back(at);
    at += lengths.back() + random.from_to(1, 4);
  }
  HandCoded hand = hand_indexed(lengths, displacements);
  return {indexed(std::move(lengths), std::move(displacements), Named::double_), 1, std::move(hand)};
}

Problem triangle(std::int64_t n) {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  for (std::int64_t row = 0; row < n; ++row) {
    lengths.push_back(row + 1);
    displacements.push_back(row * n);
  }
  return {indexed(std::move(lengths), std::move(displacements), Named::double_), 1, hand_triangle(n)};
}

Problem particles(std::int64_t packed) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 12, 16}, {Named::double_, Named::int_, Named::int_, Named::char_});
  const std::int64_t count = std::max<std::int64_t>(1, packed / type.size());
  return {type,          count,        hand_particles(count),
          std::nullopt,  std::nullopt, hand_particles_naive(count),
          Detour::extent};
}

Problem mixed(std::int64_t packed) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 16, 20}, {Named::char_, Named::double_, Named::int_, Named::short_});
  const std::int64_t count = std::max<std::int64_t>(1, packed / type.size());
  return {type,          count, hand_mixed(count), std::nullopt, std::nullopt, hand_mixed_naive(count),
          Detour::extent};
}

}  // namespace typewarp::bench
