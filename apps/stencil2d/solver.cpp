// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/solver.hpp"

#include "stencil2d/gpu/gpu.hpp"
#include "stencil2d/initial.hpp"
#include "stencil2d/sweep.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace stencil2d {
namespace {

template <typename T>
std::int64_t field_bytes(const Domain& domain) {
  return domain.stored_elements() * static_cast<std::int64_t>(sizeof(T));
}

/// As if all ranks were on this host.
std::int64_t threads_of_a_rank(const Domain& domain) {
  const std::int64_t ranks = domain.grid.rows * domain.grid.columns;
  return std::max<std::int64_t>(1, std::thread::hardware_concurrency() / ranks);
}

/// Calls `work(begin, end)` for as many bands of `rows` at once as there are threads.
template <typename Work>
void in_bands(std::int64_t rows, std::int64_t threads, Work work) {
  std::vector<std::jthread> others;
  for (std::int64_t i = 1; i < threads; ++i) {
    others.emplace_back(work, rows * i / threads, rows * (i + 1) / threads);
  }
  work(0, rows / threads);
}

}  // namespace

template <typename T>
Solver<T>::Solver(const Domain& domain, typewarp::MemoryKind kind, MPI_Comm comm)
    : domain_(domain),
      kind_(kind),
      comm_(comm),
      stream_(kind != typewarp::MemoryKind::host),
      current_(kind, field_bytes<T>(domain)),
      next_(kind, field_bytes<T>(domain)) {
  set_initial_values();
}

template <typename T>
void Solver<T>::set_initial_values() {
  std::vector<T> values(static_cast<std::size_t>(domain_.stored_elements()), T(0));
  const apps::Shape origin = domain_.origin();
  in_bands(domain_.local.rows, threads_of_a_rank(domain_), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t column = 0; column < domain_.local.columns; ++column) {
        const std::int64_t at = domain_.at(domain_.halo + row, domain_.halo + column);
        values[static_cast<std::size_t>(at)] =
            static_cast<T>(initial_value(origin.rows + row, origin.columns + column, domain_.global()));
      }
    }
  });
  apps::copy_bytes(current_.data(), values.data(), field_bytes<T>(domain_), stream_);
}

template <typename T>
void Solver<T>::sweep_field(std::int64_t reach) {
  T* to = reinterpret_cast<T*>(next_.data());
  if (apps::computed_by_gpu(kind_)) {
    gpu::sweep(field(), to, domain_.pitch, domain_.owned(reach), stream_.get());
    stream_.synchronize();  // the phases are timed apart, and a send would wait for the sweep anyway
  } else {
    sweep(field(), to, domain_.pitch, domain_.owned(reach));
  }
}

template <typename T>
PhaseTimes Solver<T>::run(std::int64_t iterations, bool by_side, Halo& halo, apps::Progress& progress) {
  PhaseTimes warm_up;
  halo.exchange(next_.data(), stream_, warm_up);
  halo.exchange(current_.data(), stream_, warm_up);
  sweep_field(0);
  MPI_Barrier(comm_);

  PhaseTimes times(by_side);
  apps::Stopwatch total;
  for (std::int64_t done = 0; done < iterations;) {
    halo.exchange(current_.data(), stream_, times);
    const std::int64_t sweeps = std::min(domain_.halo, iterations - done);
    apps::Stopwatch watch;
    for (std::int64_t reach = sweeps - 1; reach >= 0; --reach) {
      sweep_field(reach);
      std::swap(current_, next_);
    }
    times[Phase::compute] += watch.lap();
    done += sweeps;
    progress.update(done);
  }
  times[Phase::total] = total.lap();
  return times;
}

template class Solver<float>;
template class Solver<double>;

}  // namespace stencil2d
