// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures.hpp"
#include "problems.hpp"

/// What a plan costs: commit alone, and commit with the first pack, which loads what the plan keeps on the
/// device.
namespace typewarp::bench {
namespace {

Case committing(const std::string& name, const std::function<Problem()>& make) {
  return {"commit", name, [=](Bench& bench) {
            const Problem problem = make();
            const Plan plan = commit(problem.type);
            const Layout layout = repeat(plan.layout(), problem.count, plan.extent());
            std::byte* const buffer = bench.pool.layout.reserve(layout.offset + layout.root->true_ub);
            std::byte* const packed = bench.pool.packed.reserve(layout.size());
            const auto report = [&](const std::string& direction, const std::function<void()>& operation) {
              Row row{"commit", name, direction, "device", bench.method, layout.size(),
                      {},       {},   {},        {},       false};
              row.sample = measure(operation, bench.effort);
              bench.report.row(row);
            };
            report("commit", [&] { commit(problem.type); });
            report("first-use", [&] {
              pack(buffer, problem.count, commit(problem.type), packed, bench.queue.get());
              bench.queue.wait();
            });
          }};
}

}  // namespace

std::vector<Case> commit_cases() {
  constexpr std::int64_t blocks = mebi;
  return {committing("vector", [] { return strided_blocks(64 * mebi, 8, 64); }),
          committing("subarray-4d", [] { return hypercube(64 * mebi); }),
          committing("struct", [] { return particles(64 * mebi); }),
          committing("indexed_block-1M", [] { return cells(8 * blocks, Sequence::ascending); }),
          committing("indexed-1M", [] { return varying_blocks(32 * blocks); }),
          committing("triangle-8192", [] { return triangle(8192); })};
}

}  // namespace typewarp::bench
