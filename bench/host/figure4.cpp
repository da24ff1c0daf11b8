// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "workloads.hpp"

/// The six types of 000, figure 4 and section IV-A, at 1 KiB, 64 KiB and 4 MiB packed.
namespace typewarp::bench {
namespace {

constexpr std::int64_t stride = 512;
constexpr std::int64_t edge = 64;

Workload same_both_ways(const Datatype& type, std::int64_t count) {
  Workload workload;
  workload.memory.emplace_back((count - 1) * type.extent() + type.true_ub());
  workload.send = {type, count, workload.memory[0].data()};
  workload.receive = workload.send;
  return workload;
}

Workload vector_blocks(std::int64_t packed, std::int64_t block) {
  return same_both_ways(hvector(packed / block, block / 8, stride, Named::double_), 1);
}

/// The displacements of the vector, given as a list.
Workload indexed_blocks(std::int64_t packed, std::int64_t block) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < packed / block; ++i) displacements.push_back(i * stride / 8);
  const std::vector<std::int64_t> lengths(displacements.size(), block / 8);
  return same_both_ways(indexed(lengths, displacements, Named::double_), 1);
}

/// A hypercube of floats in 64^4: with floats, edges of 4 and 32 make 1 KiB and 4 MiB exactly, 11 makes 57
/// KiB.
Workload hypercube(std::int64_t side) {
  const std::vector<std::int64_t> sizes(4, edge);
  const std::vector<std::int64_t> subsizes(4, side);
  const std::vector<std::int64_t> starts(4, 0);
  return same_both_ways(subarray(sizes, subsizes, starts, Order::c, Named::float_), 1);
}

/// An array of struct {double; int; int; char}: 17 bytes of data every 24.
Workload structs(std::int64_t packed) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 12, 16}, {Named::double_, Named::int_, Named::int_, Named::char_});
  return same_both_ways(type, packed / type.size());
}

}  // namespace

std::vector<Case> overhead_cases() {
  const auto doubles = [](std::int64_t count) {
    Workload workload;
    workload.memory.emplace_back(8);
    workload.send = {Named::double_, count, workload.memory[0].data()};
    workload.receive = workload.send;
    return workload;
  };
  return {{"overhead/empty", [=] { return doubles(0); }}, {"overhead/8B", [=] { return doubles(1); }}};
}

std::vector<Case> figure4_cases() {
  struct Size {
    std::string name;
    std::int64_t packed;
    std::int64_t side;
  };
  std::vector<Case> cases;
  for (const Size& size :
       {Size{"1KiB", 1 << 10, 4}, Size{"64KiB", 64 << 10, 11}, Size{"4MiB", 4 << 20, 32}}) {
    const std::int64_t packed = size.packed;
    const std::int64_t side = size.side;
    cases.push_back({"vector-8/" + size.name, [=] { return vector_blocks(packed, 8); }});
    cases.push_back({"vector-128/" + size.name, [=] { return vector_blocks(packed, 128); }});
    cases.push_back({"subarray-4d/" + size.name, [=] { return hypercube(side); }});
    cases.push_back({"indexed-8/" + size.name, [=] { return indexed_blocks(packed, 8); }});
    cases.push_back({"indexed-128/" + size.name, [=] { return indexed_blocks(packed, 128); }});
    cases.push_back({"struct/" + size.name, [=] { return structs(packed); }});
  }
  return cases;
}

}  // namespace typewarp::bench
