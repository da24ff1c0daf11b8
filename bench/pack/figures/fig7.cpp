// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "figures/figures.hpp"
#include "problems.hpp"

/// Paper 000, figure 7: what finding the addresses costs, and what packing adds to it on the device and all
/// the way to the host.
namespace typewarp::bench {
namespace {

Case traversing(const std::string& name, std::int64_t packed, const std::function<HandTraversal()>& make) {
  return {"fig7", name, [=](Bench& bench) {
            const HandTraversal traversal = make();
            std::byte* const sink = bench.pool.packed.reserve(1);
            Row row{"fig7", name, "traverse", "device", "hand: addresses alone", packed, {},
                    {},     {},   {},         false};
            row.sample = measure(
                [&] {
                  traversal(sink, bench.queue.get());
                  bench.queue.wait();
                },
                bench.effort);
            check(cudaGetLastError(), "traversal kernel");
            row.floor_us = bench.rates.launch_us;
            bench.report.row(row);
          }};
}

}  // namespace

std::vector<Case> fig7_cases() {
  std::vector<Case> cases;
  for (std::int64_t packed = kibi; packed <= 64 * mebi; packed *= 4) {
    const std::string size = size_name(packed);
    cases.push_back(traversing("vector-8-s512/" + size, packed,
                               [=] { return hand_traverse_vector(packed / 8, 8, 512); }));
    cases.push_back(moving("fig7", "vector-8-s512/" + size, [=] { return strided_blocks(packed, 8, 512); },
                           {true, true, true, false}));
    cases.push_back(traversing("subarray-4d/" + size, packed, [=] {
      const Box box = hypercube_box(packed);
      return hand_traverse_subarray(box.offset, box.levels, box.run);
    }));
    cases.push_back(
        moving("fig7", "subarray-4d/" + size, [=] { return hypercube(packed); }, {true, true, true, false}));
  }
  return cases;
}

}  // namespace typewarp::bench
