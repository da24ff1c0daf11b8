// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"

/// Paper 000, table 2: the faces of a cube of doubles.
namespace typewarp::bench {

std::vector<Case> table2_cases() {
  std::vector<Case> cases;
  for (const std::int64_t edge : {64, 128, 256, 512, 1024}) {
    for (const char axis : {'x', 'y', 'z'}) {
      for (const std::int64_t width : {1, 2}) {
        const std::string name =
            std::string("face-") + axis + "-w" + std::to_string(width) + "/" + std::to_string(edge);
        cases.push_back(moving("table2", name, [=] { return face(axis, edge, width); }));
      }
    }
  }
  return cases;
}

}  // namespace typewarp::bench
