// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/tuning.hpp"

#include "engine/device/gpu.hpp"
#include "halo/agreement.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace typewarp::halo {
namespace {

/// What is there only once it is used, plans on the device and mapped memory of neighbours, is there then.
constexpr int warm_ups = 3;
/// An odd number, of which the median is one: few enough for a program's start, and many enough that what
/// disturbs a few does not count.
constexpr std::size_t samples = 15;

}  // namespace

Exchange fastest(const ProcessGrid& grid, const std::vector<Field>& fields, const Options& asked,
                 std::int64_t width, const Measure& measure) {
  std::optional<Exchange> best;
  double least = std::numeric_limits<double>::infinity();
  Options options = asked;
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    options.packing = packing;
    Exchange exchange(grid, fields, options);
    together(grid.comm(), [&] { exchange.set_width(width); });
    double seconds = measure(exchange);
    mpi::check(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, grid.comm()), "MPI_Allreduce");
    if (best && seconds >= least) continue;
    least = seconds;
    best = std::move(exchange);
  }
  return std::move(*best);
}

// All begin when they have been told that nobody has failed so far. What fails is mostly what is used first,
// and before others wait for its messages.
Measure by_clock(const ProcessGrid& grid, int device, Stream stream) {
  return [grid, device, stream](Exchange& exchange) {
    const auto timed = [&] {
      const double begin = MPI_Wtime();
      exchange.exchange(stream);
      if (device >= 0) gpu::Event(device, stream).wait();
      return MPI_Wtime() - begin;
    };
    for (int i = 0; i < warm_ups; ++i) {
      together(grid.comm(), [&] { exchange.pack(stream); });
      together(grid.comm(), [&] {
        exchange.start_exchange(stream);
        exchange.wait();
        exchange.unpack(stream);
      });
    }
    std::array<double, samples> seconds{};
    for (double& sample : seconds) together(grid.comm(), [&] { sample = timed(); });
    std::ranges::nth_element(seconds, seconds.begin() + samples / 2);
    return seconds[samples / 2];
  };
}

}  // namespace typewarp::halo
