// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// What the papers leave out: lists in any order, varying blocks, triangles, transposes, deep nests, and rows
/// at odd addresses.
namespace typewarp::bench {
namespace {

/// A part of an image of 5001 pixels a row, of 3 bytes each.
Problem image(std::int64_t packed) { return strided_blocks(packed / 14997 * 14997, 14997, 15003); }
/// Rows in words of 2 bytes.
Problem short_rows(std::int64_t packed) { return strided_blocks(packed / 998 * 998, 998, 1002); }

std::vector<Family> families() {
  return {{"varying-1-7", varying_blocks},
          {"cells-shuffled", [](std::int64_t packed) { return cells(packed, Sequence::shuffled); }},
          {"permutation", permutation},
          {"nested", nested},
          {"deeply-nested", deeply_nested},
          {"image", image},
          {"short-rows", short_rows}};
}

}  // namespace

std::vector<Case> beyond_cases() {
  std::vector<Case> cases;
  for (const Family& family : families()) {
    for (const std::int64_t packed : {64 * kibi, 4 * mebi, 64 * mebi, 256 * mebi}) {
      cases.push_back(moving(
          "beyond", family.name + "/" + size_name(packed), [=] { return family.make(packed); },
          packed > 64 * mebi ? only_device : Selection{}));
    }
  }
  for (const std::int64_t n : {512, 4096, 8192}) {
    cases.push_back(moving("beyond", "triangle/" + std::to_string(n), [=] { return triangle(n); }));
  }
  for (const int word : {4, 8, 16}) {
    for (const std::int64_t n : {256, 2048, 4096, 8192, 16384}) {
      cases.push_back(moving(
          "beyond", "transpose-" + std::to_string(word) + "/" + std::to_string(n),
          [=] { return transposed(n, word); }, n > 4096 ? only_device : Selection{}));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
