// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

#include <chrono>
#include <functional>

namespace typewarp::explanation {

/// How often to repeat a measurement.
struct Effort {
  std::size_t least = 5, most = 101;      ///< repetitions
  std::chrono::milliseconds enough{200};  ///< of one call and all its repetitions
};

/// The median time of `call`, which must return when its work is done. The first call is not counted.
double median_us(const std::function<void()>& call, const Effort& effort = {});

/// Waits for a stream of the library. Spins, so that no wake-up is part of the time.
void finish(Stream stream);

/// Moves the bytes as each of `moves` says and notes the median of its times: on the host always, on the
/// device if there is a GPU, there by each method that can. Times are from the call until all bytes are in
/// place. Throws InvalidArgument for a layout that spans more than 4 GiB, and what the engines throw.
void measure(std::vector<ExplainedMove>& moves, const Plan& plan, std::int64_t count, int device);

/// The rates that `options` ask for. Throws InvalidArgument.
GpuRates rates_of(const ExplainOptions& options);

TransferFloor floor_of(const GpuRates& rates, const Layout& layout, bool packs, MemoryKind packed);

}  // namespace typewarp::explanation
