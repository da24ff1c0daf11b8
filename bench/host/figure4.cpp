// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figure4.hpp"

#include "buffer.hpp"

/// The six types of 000, figure 4 and section IV-A, at 1 KiB, 64 KiB and 4 MiB packed.
namespace typewarp::bench {
namespace {

constexpr std::int64_t stride = 512;
constexpr std::int64_t edge = 64;

Workload same_both_ways(const Allocate& allocate, const Datatype& type, std::int64_t count) {
  Workload workload;
  workload.memory.emplace_back((count - 1) * type.extent() + type.true_ub(), allocate);
  workload.send = {type, count, workload.memory[0].data()};
  workload.receive = workload.send;
  return workload;
}

Workload vector_blocks(const Allocate& allocate, std::int64_t packed, std::int64_t block) {
  return same_both_ways(allocate, hvector(packed / block, block / 8, stride, Named::double_), 1);
}

/// The displacements of the vector, given as a list.
Workload indexed_blocks(const Allocate& allocate, std::int64_t packed, std::int64_t block) {
  std::vector<std::int64_t> displacements;
  for (std::int64_t i = 0; i < packed / block; ++i) displacements.push_back(i * stride / 8);
  const std::vector<std::int64_t> lengths(displacements.size(), block / 8);
  return same_both_ways(allocate, indexed(lengths, displacements, Named::double_), 1);
}

/// A hypercube of floats in 64^4: with floats, edges of 4 and 32 make 1 KiB and 4 MiB exactly, 11 makes 57
/// KiB.
Workload hypercube(const Allocate& allocate, std::int64_t side) {
  const std::vector<std::int64_t> sizes(4, edge);
  const std::vector<std::int64_t> subsizes(4, side);
  const std::vector<std::int64_t> starts(4, 0);
  return same_both_ways(allocate, subarray(sizes, subsizes, starts, Order::c, Named::float_), 1);
}

/// An array of struct {double; int; int; char}: 17 bytes of data every 24.
Workload structs(const Allocate& allocate, std::int64_t packed) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 12, 16}, {Named::double_, Named::int_, Named::int_, Named::char_});
  return same_both_ways(allocate, type, packed / type.size());
}

}  // namespace

std::vector<NamedWorkload> overhead_cases() {
  const auto doubles = [](const Allocate& allocate, std::int64_t count) {
    Workload workload;
    workload.memory.emplace_back(8, allocate);
    workload.send = {Named::double_, count, workload.memory[0].data()};
    workload.receive = workload.send;
    return workload;
  };
  return {{"overhead/empty", [=](const Allocate& a) { return doubles(a, 0); }},
          {"overhead/8B", [=](const Allocate& a) { return doubles(a, 1); }}};
}

std::vector<NamedWorkload> figure4_cases() {
  struct Size {
    std::string name;
    std::int64_t packed;
    std::int64_t side;
  };
  std::vector<NamedWorkload> cases;
  for (const Size& size :
       {Size{"1KiB", 1 << 10, 4}, Size{"64KiB", 64 << 10, 11}, Size{"4MiB", 4 << 20, 32}}) {
    const std::int64_t packed = size.packed;
    const std::int64_t side = size.side;
    cases.push_back(
        {"vector-8/" + size.name, [=](const Allocate& a) { return vector_blocks(a, packed, 8); }});
    cases.push_back(
        {"vector-128/" + size.name, [=](const Allocate& a) { return vector_blocks(a, packed, 128); }});
    cases.push_back({"subarray-4d/" + size.name, [=](const Allocate& a) { return hypercube(a, side); }});
    cases.push_back(
        {"indexed-8/" + size.name, [=](const Allocate& a) { return indexed_blocks(a, packed, 8); }});
    cases.push_back(
        {"indexed-128/" + size.name, [=](const Allocate& a) { return indexed_blocks(a, packed, 128); }});
    cases.push_back({"struct/" + size.name, [=](const Allocate& a) { return structs(a, packed); }});
  }
  return cases;
}

}  // namespace typewarp::bench
