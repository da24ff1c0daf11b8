// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What it costs to make a datatype, and to commit it: lists of a million blocks of every kind, and the small
// regular types that programs make by the way.

#include <typewarp/plan.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using List = std::vector<std::int64_t>;
using typewarp::Datatype;
using typewarp::Named;

constexpr std::int64_t blocks = 1'000'000;

/// The arguments of a constructor, made beforehand, and the call that takes them over.
struct Case {
  std::string name;
  List lengths, displacements;
  std::function<Datatype(List lengths, List displacements)> make;
};

List random_list(std::int64_t low, std::int64_t high) {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::int64_t> value(low, high);
  List list(blocks);
  for (std::int64_t& entry : list) entry = value(random);
  return list;
}

List shuffled(List list) {
  std::ranges::shuffle(list, std::mt19937_64(11));
  return list;
}

/// Ascending, block i of `lengths[i]` elements followed by a gap of 1 to 8.
List ascending(const List& lengths) {
  List gaps = random_list(1, 8);
  std::int64_t end = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const std::int64_t begin = end + gaps[i];
    end = begin + lengths[i];
    gaps[i] = begin;
  }
  return gaps;
}

/// Every `step` elements.
List even(std::int64_t step) {
  List list(blocks);
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = step * static_cast<std::int64_t>(i);
  return list;
}

Datatype make_indexed(List lengths, List displacements) {
  return typewarp::indexed(std::move(lengths), std::move(displacements), Named::double_);
}

Datatype make_hindexed(List lengths, List displacements) {
  return typewarp::hindexed(std::move(lengths), std::move(displacements), Named::double_);
}

Datatype make_indexed_block(const List&, List displacements) {
  return typewarp::indexed_block(1, std::move(displacements), Named::double_);
}

std::vector<Case> cases() {
  const List lengths = random_list(1, 7);
  const List sorted = ascending(List(blocks, 1));
  // Two of five elements of an array, so that about as many stand right behind another.
  const List adjacent = [] {
    List list = random_list(0, 2 * blocks);
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }();
  return {{"indexed, lengths 1 to 7", lengths, ascending(lengths), make_indexed},
          {"indexed, even", List(blocks, 2), even(5), make_indexed},
          {"hindexed, displacements shuffled", lengths, shuffled(even(64)), make_hindexed},
          {"indexed_block, sorted", {}, sorted, make_indexed_block},
          {"indexed_block, sorted, some adjacent", {}, adjacent, make_indexed_block},
          {"indexed_block, shuffled", {}, shuffled(sorted), make_indexed_block}};
}

void construct(benchmark::State& state, const Case& test) {
  for (auto _ : state) {
    state.PauseTiming();
    List lengths = test.lengths;
    List displacements = test.displacements;
    Datatype type;
    state.ResumeTiming();
    type = test.make(std::move(lengths), std::move(displacements));
    state.PauseTiming();
    type = Datatype();
    state.ResumeTiming();
  }
}

/// Without the destruction of the plan.
void commit_list(benchmark::State& state, const Case& test) {
  const Datatype type = test.make(test.lengths, test.displacements);
  for (auto _ : state) {
    std::optional<typewarp::Plan> plan = typewarp::commit(type);
    state.PauseTiming();
    plan.reset();
    state.ResumeTiming();
  }
}

void commit_small(benchmark::State& state, const Datatype& type) {
  for (auto _ : state) benchmark::DoNotOptimize(typewarp::commit(type));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const Datatype vector = typewarp::vector(1000, 4, 16, Named::double_);
  const Datatype subarray =
      typewarp::subarray({64, 64, 64}, {32, 16, 8}, {1, 2, 3}, typewarp::Order::c, Named::double_);
  benchmark::RegisterBenchmark("commit: vector", commit_small, vector);
  benchmark::RegisterBenchmark("commit: subarray, 3-D", commit_small, subarray);
  const std::vector<Case> lists = cases();
  for (const Case& test : lists) {
    const auto named = [&test](const char* what) { return what + test.name; };
    benchmark::RegisterBenchmark(named("construct: ").c_str(), construct, test)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(named("commit: ").c_str(), commit_list, test)->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
}
