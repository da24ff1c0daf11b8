// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"
#include "transfer.hpp"

#include <typewarp/persistent.hpp>

/// 1 KiB into pinned memory and back, until the host knows that it is complete.
namespace typewarp::bench {
namespace {

Case persistent(const std::string& name, const std::function<Problem()>& make) {
  return {"latency", name, [=](Bench& bench) {
            const Problem problem = make();
            const Placed placed = place(bench.pool.layout, problem.type, problem.count);
            std::byte* const packed = bench.pool.pinned.reserve(placed.bytes());
            const Transfer transfer{problem, placed, packed, MemoryKind::pinned};
            for (const Direction direction : {Direction::pack, Direction::unpack}) {
              const bool packing = direction == Direction::pack;
              Persistent operation =
                  packing ? Persistent::pack_init(placed.buffer, placed.count, placed.plan, packed)
                          : Persistent::unpack_init(packed, placed.buffer, placed.count, placed.plan);
              Row row{"latency", name,         std::string(bench::name(direction)),
                      "pinned",  "persistent", placed.bytes(),
                      {},        {},           {},
                      {},        true};
              const auto move = [&](cudaStream_t stream) {
                operation.start(stream);
                operation.wait();
              };
              verify(bench, transfer, direction, {{"a persistent operation", move}});
              row.sample = measure([&] { move(bench.queue.get()); }, bench.effort);
              row.floor_us = floor_us(bench.rates, transfer, direction);
              bench.report.row(row);
            }
          }};
}

}  // namespace

std::vector<Case> latency_cases() {
  const std::vector<Family> families{
      {"contiguous", gapless},
      {"vector-8-s64", [](std::int64_t packed) { return strided_blocks(packed, 8, 64); }},
      {"vector-128-s512", [](std::int64_t packed) { return strided_blocks(packed, 128, 512); }},
      {"subarray-4d", hypercube},
      {"indexed-cells", [](std::int64_t packed) { return cells(packed, Sequence::ascending); }},
      {"varying-1-7", varying_blocks},
      {"struct-dense", particles}};
  std::vector<Case> cases;
  for (const Family& family : families) {
    const std::function<Problem()> make = [family] { return family.make(kibi); };
    cases.push_back(moving("latency", family.name + "/1KiB", make, only_pinned));
    cases.push_back(persistent(family.name + "/1KiB", make));
  }
  return cases;
}

}  // namespace typewarp::bench
