// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"
#include "problems.hpp"

/// What the papers leave out: lists in any order, varying blocks, triangles, transposes, deep nests.
namespace typewarp::bench {
namespace {

std::vector<Family> families() {
  return {{"varying-1-7", varying_blocks},
          {"cells-shuffled", [](std::int64_t packed) { return cells(packed, Sequence::shuffled); }},
          {"permutation", permutation},
          {"nested", nested},
          {"deeply-nested", deeply_nested}};
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
