// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"
#include "figures.hpp"
#include "problems.hpp"
#include "transfer.hpp"

#include <typewarp/persistent.hpp>

/// 1 KiB into pinned memory and back, until the host knows that it is complete.
namespace typewarp::bench {
namespace {

/// Whether the bytes are in place when wait() returns: those that a plain call moves.
bool moves_right(Persistent& operation, const Transfer& transfer, Direction direction, const Queue& queue) {
  const bool packs = direction == Direction::pack;
  const Placed& placed = transfer.placed;
  std::byte* const data = packs ? transfer.packed : placed.buffer + placed.begin();
  std::byte* const from = packs ? placed.buffer + placed.begin() : transfer.packed;
  const auto size = static_cast<std::size_t>(packs ? placed.bytes() : placed.end() - placed.begin());
  const auto from_size = static_cast<std::size_t>(packs ? placed.end() - placed.begin() : placed.bytes());
  std::vector<std::byte> noise(from_size);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::byte>(i * 131 + i / 251);
  const auto result = [&](const std::function<void()>& move) {
    check(cudaMemcpy(from, noise.data(), from_size, cudaMemcpyDefault), "cudaMemcpy");
    check(cudaMemset(data, 0x5a, size), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    move();
    std::vector<std::byte> bytes(size);
    check(cudaMemcpy(bytes.data(), data, size, cudaMemcpyDefault), "cudaMemcpy");
    return bytes;
  };
  const auto started = result([&] {
    operation.start(queue.get());
    operation.wait();
  });
  const auto called = result([&] {
    transfer.run(direction, queue.get());
    queue.wait();
  });
  if (started != called) throw Error("a persistent operation moves wrong bytes");
  return true;
}

Case persistent(const std::string& name, const std::function<Problem()>& make) {
  return {"latency", name, [=](Bench& bench) {
            const Problem problem = make();
            const Placed placed = place(bench.pool.layout, problem.type, problem.count);
            std::byte* const packed = bench.pool.pinned.reserve(placed.bytes());
            const Transfer transfer{problem, placed, packed, MemoryKind::pinned};
            for (const Direction direction : {Direction::pack, Direction::unpack}) {
              const bool packing = direction == Direction::pack;
              Persistent operation =
                  packing ? Persistent::pack(placed.buffer, placed.count, placed.plan, packed)
                          : Persistent::unpack(packed, placed.buffer, placed.count, placed.plan);
              Row row{"latency", name,         packing ? "pack" : "unpack",
                      "pinned",  "persistent", placed.bytes(),
                      {},        {},           {},
                      {},        false};
              row.verified = moves_right(operation, transfer, direction, bench.queue);
              row.sample = measure(
                  [&] {
                    operation.start(bench.queue.get());
                    operation.wait();
                  },
                  bench.effort);
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
