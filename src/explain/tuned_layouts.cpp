// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/tuned_layouts.hpp"

#include <typewarp/expression.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace typewarp::explanation {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::array sizes{mib, 64 * kib, 16 * mib, 4 * kib, 64 * mib};

/// Of so many bytes of data, or the nearest that is less.
using Make = std::function<TunedLayout(std::int64_t bytes)>;
struct Kind {
  std::int64_t least, most;  ///< bytes of data
  Make make;
};

std::string text(std::int64_t number) { return std::to_string(number); }

TunedLayout expression(const std::string& words) {
  return {words, [words] { return datatype_of(words); }};
}

/// Blocks of `block` bytes, `stride` bytes apart; no more than 2 GiB are spanned.
Kind blocks(std::int64_t block, std::int64_t stride) {
  const std::int64_t most = std::min(sizes.back(), (std::int64_t{2} << 30) / stride * block);
  return {4 * block, most, [=](std::int64_t bytes) {
            return expression("hvector(" + text(bytes / block) + ", " + text(block) + ", " + text(stride) +
                              ", byte)");
          }};
}

Kind contiguous_bytes() {
  return {1, sizes.back(),
          [](std::int64_t bytes) { return expression("contiguous(" + text(bytes) + ", byte)"); }};
}

Kind nested() {
  return {512, sizes.back(), [](std::int64_t bytes) {
            return expression("hvector(" + text(bytes / 512) +
                              ", 1, 4096, hvector(4, 1, 512, hvector(8, 16, 48, byte)))");
          }};
}

/// No stride divides the next.
Kind deeply_nested() {
  constexpr std::int64_t inner = 7 * 3 * 5 * 8;
  return {inner, 16 * mib, [](std::int64_t bytes) {
            return expression("hvector(" + text(bytes / inner) +
                              ", 1, 4232, hvector(7, 1, 520, hvector(3, 1, 152, hvector(5, 8, 24, byte))))");
          }};
}

Kind box() {
  return {4 * kib, 16 * mib, [](std::int64_t bytes) {
            // A cube of doubles in the middle of one of twice the edge.
            const auto edge = static_cast<std::int64_t>(std::cbrt(static_cast<double>(bytes) / 8));
            const std::string side = text(edge);
            const std::string all = text(2 * edge);
            const std::string start = text(edge / 2);
            return expression("subarray([" + all + ", " + all + ", " + all + "], [" + side + ", " + side +
                              ", " + side + "], [" + start + ", " + start + ", " + start + "], c, double)");
          }};
}

Kind transposed(const std::string& element, std::int64_t word) {
  return {64 * kib, 64 * mib, [=](std::int64_t bytes) {
            const auto edge = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes / word)));
            const std::string n = text(edge);
            return expression("contiguous(" + n + ", resized(vector(" + n + ", 1, " + n + ", " + element +
                              "), 0, " + text(word) + "))");
          }};
}

Kind structs(const std::string& type, std::int64_t size) {
  return {size, sizes.back(), [=](std::int64_t bytes) {
            return expression("contiguous(" + text(bytes / size) + ", " + type + ")");
          }};
}

/// The same numbers in every run, on every machine.
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

std::string size_text(std::int64_t bytes) {
  return bytes < mib ? text(bytes / kib) + " KiB" : text(bytes / mib) + " MiB";
}

/// A list of equal blocks, whose displacements `place` makes.
Kind list(const std::string& words, std::int64_t block,
          const std::function<void(std::vector<std::int64_t>&)>& place) {
  return {4 * kib, 16 * mib, [=](std::int64_t bytes) {
            return TunedLayout{
                size_text(bytes) + " in " + words, [=] {
                  std::vector<std::int64_t> displacements(static_cast<std::size_t>(bytes / block));
                  place(displacements);
                  return hindexed_block(block, std::move(displacements), Named::byte);
                }};
          }};
}

Kind scattered(std::int64_t block) {
  return list("blocks of " + text(block) + " B with random gaps", block, [=](auto& displacements) {
    Random random;
    std::int64_t at = 0;
    for (std::int64_t& displacement : displacements) {
      displacement = at;
      at += block * random.from_to(2, 8);
    }
  });
}

/// 8 bytes at a random place of each 64.
void place_in_cells(std::vector<std::int64_t>& displacements) {
  Random random;
  std::int64_t at = 0;
  for (std::int64_t& displacement : displacements) {
    displacement = at + 8 * random.from_to(0, 7);
    at += 64;
  }
}

void place_in_any_order(std::vector<std::int64_t>& displacements) {
  std::iota(displacements.begin(), displacements.end(), 0);
  Random().shuffle(displacements);
  for (std::int64_t& displacement : displacements) displacement *= 8;
}

Kind varying() {
  return {4 * kib, 16 * mib, [](std::int64_t bytes) {
            return TunedLayout{size_text(bytes) + " in blocks of 1 to 7 doubles with random gaps", [=] {
                                 Random random;
                                 std::vector<std::int64_t> lengths, displacements;
                                 std::int64_t at = 0;
                                 for (std::int64_t left = bytes / 8; left > 0; left -= lengths.back()) {
                                   lengths.push_back(std::min(left, random.from_to(1, 7)));
                                   displacements.push_back(at);
                                   at += lengths.back() + random.from_to(1, 4);
                                 }
                                 return indexed(std::move(lengths), std::move(displacements), Named::double_);
                               }};
          }};
}

std::vector<Kind> kinds() {
  std::vector<Kind> result{contiguous_bytes()};
  constexpr std::array<std::array<std::int64_t, 2>, 28> vectors{
      {{1, 8},     {1, 64},     {2, 8},       {2, 64},      {4, 8},     {4, 64},     {8, 16},
       {8, 64},    {8, 512},    {8, 4096},    {16, 64},     {16, 512},  {24, 512},   {32, 64},
       {32, 512},  {64, 128},   {64, 512},    {72, 512},    {128, 256}, {128, 512},  {200, 512},
       {256, 512}, {512, 2048}, {1024, 2048}, {4096, 8192}, {33, 40},   {998, 1002}, {14997, 15003}}};
  for (const auto& [block, stride] : vectors) result.push_back(blocks(block, stride));
  result.insert(result.end(), {nested(), deeply_nested(), box(), scattered(8), scattered(128), varying()});
  result.push_back(list("8 B of each 64", 8, place_in_cells));
  result.push_back(list("8 B of each 64, in any order", 8, [](std::vector<std::int64_t>& displacements) {
    place_in_cells(displacements);
    Random().shuffle(displacements);
  }));
  result.push_back(list("doubles in any order", 8, place_in_any_order));
  result.push_back(structs("struct([1, 1, 1, 1], [0, 8, 12, 16], [double, int, int, char])", 17));
  result.push_back(structs("struct([1, 1, 1, 1], [0, 8, 16, 20], [char, double, int, short])", 15));
  result.insert(result.end(),
                {transposed("float", 4), transposed("double", 8), transposed("c_double_complex", 16)});
  return result;
}

}  // namespace

std::vector<TunedLayout> tuned_layouts() {
  std::vector<TunedLayout> result;
  for (const std::int64_t bytes : sizes) {
    for (const Kind& kind : kinds()) {
      if (bytes >= kind.least && bytes <= kind.most) result.push_back(kind.make(bytes));
    }
  }
  return result;
}

}  // namespace typewarp::explanation
