// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

namespace typewarp::bench {
namespace {

std::vector<Family> families() {
  std::vector<Family> result{{"contiguous", gapless}};
  const auto blocks = [&](std::int64_t block, std::int64_t stride) {
    result.push_back({"vector-" + std::to_string(block) + "-s" + std::to_string(stride),
                      [=](std::int64_t packed) { return strided_blocks(packed, block, stride); }});
  };
  for (const std::int64_t stride : {16, 64, 256, 512}) blocks(8, stride);
  blocks(128, 512);
  for (const std::int64_t block : {1, 2, 4}) {
    blocks(block, 8);
    blocks(block, 64);
  }
  result.push_back({"subarray-4d", hypercube});
  result.push_back({"nested", nested});
  result.push_back(
      {"cells-in-order", [](std::int64_t packed) { return cells(packed, Sequence::ascending); }});
  result.push_back({"cells-shuffled", [](std::int64_t packed) { return cells(packed, Sequence::shuffled); }});
  result.push_back({"varying-1-7", varying_blocks});
  result.push_back({"struct-dense", particles});
  result.push_back({"struct-holes", mixed});
  return result;
}

CopyProblem strided_to_strided() { return vector_to_vector(64 * mebi, {8, 64}, {8, 16}); }

CopyProblem box_to_box() { return {hypercube(64 * mebi), nested(64 * mebi)}; }

}  // namespace

std::vector<Case> dev_cases() {
  std::vector<Case> cases;
  for (const Family& family : families()) {
    for (const std::int64_t packed : {kibi, 64 * kibi, 64 * mebi}) {
      cases.push_back(moving(
          "dev", family.name + "/" + size_name(packed), [=] { return family.make(packed); },
          packed == 64 * mebi ? Selection{} : only_device));
    }
  }
  for (const char axis : {'x', 'y', 'z'}) {
    cases.push_back(moving("dev", std::string("face-") + axis + "/512", [=] { return face(axis, 512, 1); }));
  }
  cases.push_back(moving("dev", "triangle/8192", [] { return triangle(8192); }));
  for (const int word : {4, 8, 16}) {
    cases.push_back(
        moving("dev", "transpose-" + std::to_string(word) + "/8192", [=] { return transposed(8192, word); }));
    cases.push_back(moving(
        "dev", "transpose-" + std::to_string(word) + "/64", [=] { return transposed(64, word); },
        only_device));
  }
  cases.push_back(copying("dev", "vector-to-vector/64MiB", strided_to_strided));
  cases.push_back(copying("dev", "subarray-to-nested/64MiB", box_to_box));
  cases.push_back(copying("dev", "transpose-to-gapless/8192", [] {
    return CopyProblem{transposed(8192, 8), gapless(std::int64_t{8} * 8192 * 8192)};
  }));
  return cases;
}

}  // namespace typewarp::bench
