// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "problems.hpp"
#include "transfer.hpp"

/// What a plan costs: commit alone, and commit with the first pack, which loads what the plan keeps on the
/// device.
namespace typewarp::bench {
namespace {

Case committing(const std::string& name, const std::function<Problem()>& make) {
  return {"commit", name, [=](Bench& bench) {
            const Problem problem = make();
            const Placed placed = place(bench.pool.layout, problem.type, problem.count);
            std::byte* const packed = bench.pool.packed.reserve(placed.bytes());
            const auto first_use = [&](cudaStream_t stream) {
              pack(placed.buffer, placed.count, commit(problem.type), packed, stream);
            };
            const auto report = [&](const std::string& direction, bool verified,
                                    const std::function<void()>& operation) {
              Row row{"commit", name, direction, "device", bench.method, placed.bytes(),
                      {},       {},   {},        {},       verified};
              row.sample = measure(operation, bench.effort);
              bench.report.row(row);
            };
            report("commit", false, [&] { commit(problem.type); });
            verify(bench, {problem, placed, packed, MemoryKind::device}, Direction::pack,
                   {{"the first use of a plan", first_use}});
            report("first-use", true, [&] {
              first_use(bench.queue.get());
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
