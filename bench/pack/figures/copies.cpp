// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// From one layout straight into another.
namespace typewarp::bench {

std::vector<Case> copy_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, std::int64_t packed, const auto& source,
                       const auto& destination) {
    cases.push_back(copying("copy", name + "/" + size_name(packed),
                            [=] { return CopyProblem{source(packed), destination(packed)}; }));
  };
  const auto add_vectors = [&](const std::string& name, std::int64_t packed, const HandVector& from,
                               const HandVector& to) {
    cases.push_back(
        copying("copy", name + "/" + size_name(packed), [=] { return vector_to_vector(packed, from, to); }));
  };
  for (const std::int64_t packed : {64 * kibi, mebi, 64 * mebi}) {
    const auto narrow = [](std::int64_t bytes) { return strided_blocks(bytes, 8, 16); };
    add_vectors("vector-8-s64-to-s16", packed, {8, 64}, {8, 16});
    add_vectors("vector-8-s64-to-s64", packed, {8, 64}, {8, 64});
    add_vectors("vector-128-s512-to-s256", packed, {128, 512}, {128, 256});
    add_vectors("vector-8-to-vector-128", packed, {8, 64}, {128, 512});
    add("subarray-to-subarray", packed, hypercube, hypercube);
    add("subarray-to-nested", packed, hypercube, nested);
    add("cells-to-vector", packed, [](std::int64_t n) { return cells(n, Sequence::ascending); }, narrow);
    add("varying-to-vector", packed, varying_blocks, narrow);
    add_vectors("image-to-image", packed / 14997 * 14997, {14997, 15003}, {14997, 15006});
    add("struct-to-struct", packed / 17 * 17, particles, particles);
  }
  for (const std::int64_t n : {256, 2048, 8192}) {
    cases.push_back(copying("copy", "transpose-to-gapless/" + std::to_string(n),
                            [=] { return CopyProblem{transposed(n, 8), gapless(8 * n * n)}; }));
  }
  return cases;
}

}  // namespace typewarp::bench
