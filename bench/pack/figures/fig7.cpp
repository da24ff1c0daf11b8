// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "figures/figures.hpp"
#include "lookup.hpp"

/// Paper 000, figure 7: what finding the addresses costs, and what packing adds to it on the device and all
/// the way to the host.
namespace typewarp::bench {
namespace {

constexpr std::int64_t most = 64 * mebi;

/// A row for the addresses of `packed` bytes alone.
void measure_traversal(Bench& bench, const Case& which, const std::string& method, std::int64_t packed,
                       const Traversal& traversal) {
  std::byte* const sink = bench.pool.packed.reserve(1);
  Row row{which.figure, which.name, "traverse", "device", method, packed, {}, {}, {}, {}, false};
  row.sample = measure(
      [&] {
        traversal(sink, bench.queue.get());
        bench.queue.wait();
      },
      bench.effort);
  check(cudaGetLastError(), "traversal kernel");
  row.floor_us = bench.rates.launch_us;
  bench.report.row(row);
}

Case traversing(const std::string& name, std::int64_t packed, const std::function<Traversal()>& make) {
  return {"fig7", name, [=](Bench& bench) {
            measure_traversal(bench, {"fig7", name, nullptr}, "hand: addresses alone", packed, make());
          }};
}

Case looking_up(const std::string& name, const std::function<Problem()>& make) {
  return {"lookup", name, [=](Bench& bench) {
            const Problem problem = make();
            const Placed placed = place(bench.pool.layout, problem.type, problem.count);
            measure_traversal(bench, {"lookup", name, nullptr}, "lookup: addresses alone", placed.bytes(),
                              library_traversal(placed));
          }};
}

constexpr Selection both_ways_to_pack{true, true, true, false};

}  // namespace

std::vector<Case> fig7_cases() {
  std::vector<Case> cases;
  for (std::int64_t packed = kibi; packed <= most; packed *= 4) {
    const std::string size = size_name(packed);
    cases.push_back(traversing("vector-8-s512/" + size, packed,
                               [=] { return hand_traverse_vector(packed / 8, 8, 512); }));
    cases.push_back(moving(
        "fig7", "vector-8-s512/" + size, [=] { return strided_blocks(packed, 8, 512); }, both_ways_to_pack));
    cases.push_back(traversing("subarray-4d/" + size, packed, [=] {
      const Box box = hypercube_box(packed);
      return hand_traverse_subarray(box.offset, box.levels, box.run);
    }));
    cases.push_back(
        moving("fig7", "subarray-4d/" + size, [=] { return hypercube(packed); }, both_ways_to_pack));
  }
  return cases;
}

std::vector<Case> lookup_cases() {
  std::vector<Case> cases;
  for (const Curve& curve : curves()) {
    for (std::int64_t packed = kibi; packed <= most; packed *= 4) {
      const std::string name = curve.name + "/" + size_name(packed);
      const auto make = [=] { return curve.make(packed); };
      cases.push_back(looking_up(name, make));
      cases.push_back(moving("lookup", name, make, both_ways_to_pack));
    }
  }
  return cases;
}

}  // namespace typewarp::bench
