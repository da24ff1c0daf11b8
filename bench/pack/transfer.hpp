// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bench.hpp"
#include "verify.hpp"

namespace typewarp::bench {

/// Items of a plan in memory.
struct Placed {
  std::byte* buffer;  ///< what displacements are relative to
  std::int64_t count;
  Plan plan;
  std::shared_ptr<const DevicePlaces> places;  ///< of all items
  std::int64_t segments = 0;                   ///< that the data touches

  const Layout& layout() const { return places->layout(); }
  std::int64_t bytes() const { return layout().size(); }
  /// From the first to behind the last byte of data, relative to the buffer.
  std::int64_t begin() const { return layout().offset + layout().root->true_lb; }
  std::int64_t end() const { return layout().offset + layout().root->true_ub; }
};

/// Places the items as low in the pool as a buffer allows that is aligned like one of cudaMalloc.
Placed place(DevicePool& pool, const Datatype& type, std::int64_t count);

/// One problem with its packed bytes in one kind of memory.
struct Transfer {
  const Problem& problem;
  Placed placed;
  std::byte* packed;
  MemoryKind memory;

  void run(Direction direction, cudaStream_t stream) const;
};
std::string_view name(Direction direction) noexcept;

/// Measures what the selection says, and reports it under the figure and the name of `which`.
void measure_moving(Bench& bench, const Case& which, const Problem& problem, Selection selection);

/// The least time that this machine's memory, its link and a launch allow (docs/internals/measuring.md).
double floor_us(const Rates& rates, const Transfer& transfer, Direction direction);

/// Verifies every byte that each of the movers moves; throws Error if one is wrong.
void verify(Bench& bench, const Transfer& transfer, Direction direction, const std::vector<Mover>& movers);

/// The median of every other way to do the same.
std::map<std::string, double> measure_baselines(Bench& bench, const Transfer& transfer, Direction direction);
/// Of a copy: through packed bytes in device memory, by the library and by hand-coded kernels.
std::map<std::string, double> measure_baselines(Bench& bench, const CopyProblem& problem,
                                                const Placed& source, const Placed& destination);

}  // namespace typewarp::bench
