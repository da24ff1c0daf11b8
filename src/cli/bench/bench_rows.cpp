// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/bench_rows.hpp"

#include "cli/bench/plain_loops.hpp"
#include "explain/measure.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace typewarp::cli {
namespace {

Datatype blocks(std::int64_t bytes, std::int64_t block, std::int64_t stride) {
  return hvector(bytes / block, block, stride, Named::byte);
}

Datatype box(std::int64_t bytes) {
  const auto edge = static_cast<std::int64_t>(std::cbrt(static_cast<double>(bytes) / 8));
  return subarray({2 * edge, 2 * edge, 2 * edge}, {edge, edge, edge}, {edge / 2, edge / 2, edge / 2},
                  Order::c, Named::double_);
}

Datatype particles(std::int64_t bytes) {
  const Datatype type =
      structure({1, 1, 1, 1}, {0, 8, 12, 16}, {Named::double_, Named::int_, Named::int_, Named::char_});
  return contiguous(bytes / type.size(), type);
}

Datatype transposed(std::int64_t bytes) {
  const auto n = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bytes) / 8));
  return contiguous(n, resized(vector(n, 1, n, Named::double_), 0, 8));
}

/// Blocks of 1 to 7 doubles with gaps of 1 to 4, the same in every run.
Datatype varying(std::int64_t bytes) {
  std::mt19937_64 random{2012};
  std::vector<std::int64_t> lengths, displacements;
  std::int64_t at = 0;
  for (std::int64_t left = bytes / 8; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, static_cast<std::int64_t>(random() % 7) + 1));
    displacements.push_back(at);
    at += lengths.back() + static_cast<std::int64_t>(random() % 4) + 1;
  }
  return indexed(std::move(lengths), std::move(displacements), Named::double_);
}

ExplainOptions only_gpu(const BenchOptions& options) {
  ExplainOptions wanted;
  wanted.host = false;
  wanted.profile = options.rates;
  return wanted;
}

/// Times of the same moves by copies of the driver; none where those would need too many copies.
std::vector<ExplainedMove> by_copy_engines(const Plan& plan, const BenchOptions& options,
                                           const explanation::MeasureOptions& measuring) {
  const Plan forced = plan.with({.method = Method::copy_engines});
  std::vector<ExplainedMove> moves = explain(forced, only_gpu(options)).moves;
  std::erase_if(moves, [](const ExplainedMove& move) { return move.chosen != name(Method::copy_engines); });
  explanation::measure(moves, forced, 1, measuring);
  return moves;
}

void add_gpu(std::vector<BenchRow>& rows, const BenchLayout& layout, const Plan& plan,
             const BenchOptions& options) {
  const explanation::MeasureOptions measuring{
      options.device, {.enough = options.each}, /*other_methods=*/false, {}};
  std::vector<ExplainedMove> moves = explain(plan, only_gpu(options)).moves;
  explanation::measure(moves, plan, 1, measuring);
  const std::vector<ExplainedMove> others = by_copy_engines(plan, options, measuring);
  for (const ExplainedMove& move : moves) {
    BenchRow row{layout.name, plan.size(),       move.memory,    move.direction,
                 move.chosen, *move.measured_us, move.floor->us, std::nullopt};
    for (const ExplainedMove& other : others) {
      if (other.memory == move.memory && other.direction == move.direction) row.other_us = other.measured_us;
    }
    rows.push_back(std::move(row));
  }
}

double loops_us(const Plan& plan, bool packs, const explanation::Effort& effort) {
  const Layout& layout = plan.layout();
  const std::int64_t begin = layout.offset + layout.root->true_lb;
  std::vector<std::byte> user(static_cast<std::size_t>(layout.root->true_ub - layout.root->true_lb),
                              std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(plan.size()), std::byte{2});
  std::byte* const buffer = user.data() - begin;
  return explanation::median_us(
      [&] {
        if (packs) {
          pack_by_loops(layout, buffer, packed.data());
        } else {
          unpack_by_loops(layout, packed.data(), buffer);
        }
      },
      effort);
}

void add_host(std::vector<BenchRow>& rows, const BenchLayout& layout, const Plan& plan,
              const BenchOptions& options) {
  const explanation::Effort effort{.enough = options.each};
  ExplainOptions wanted;
  wanted.gpu = false;
  std::vector<ExplainedMove> moves = explain(plan, wanted).moves;
  explanation::measure(moves, plan, 1, {.effort = effort});
  for (const ExplainedMove& move : moves) {
    rows.push_back({layout.name, plan.size(), "host", move.direction, move.chosen, *move.measured_us,
                    std::nullopt, loops_us(plan, move.direction == "pack", effort)});
  }
}

}  // namespace

std::vector<BenchLayout> bench_layouts() {
  return {{"8 B of each 64", [](std::int64_t bytes) { return blocks(bytes, 8, 64); }},
          {"8 B of each 256", [](std::int64_t bytes) { return blocks(bytes, 8, 256); }},
          {"3 B of each 4", [](std::int64_t bytes) { return blocks(bytes, 3, 4); }},
          {"rows of 1 KiB of 2", [](std::int64_t bytes) { return blocks(bytes, 1024, 2048); }},
          {"box in a 3-D grid", box},
          {"particles, 17 B of 24", particles},
          {"transposed doubles", transposed},
          {"1 to 7 doubles, gaps", varying}};
}

std::vector<BenchRow> bench_rows(const BenchLayout& layout, std::int64_t bytes, const BenchOptions& options) {
  const Plan plan = commit(layout.make(bytes));
  std::vector<BenchRow> rows;
  if (options.gpu) add_gpu(rows, layout, plan, options);
  add_host(rows, layout, plan, options);
  return rows;
}

}  // namespace typewarp::cli
