// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/picture/picture.hpp"
#include "common/program.hpp"
#include "stencil2d/element.hpp"
#include "stencil2d/gather.hpp"
#include "stencil2d/halo/halo_by_hand.hpp"
#include "stencil2d/halo/halo_by_mpi.hpp"
#include "stencil2d/halo/halo_by_typewarp.hpp"
#include "stencil2d/options.hpp"
#include "stencil2d/pack/pack_table.hpp"
#include "stencil2d/report.hpp"
#include "stencil2d/setup.hpp"
#include "stencil2d/solver.hpp"
#include "stencil2d/validate.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

namespace {

using namespace stencil2d;
using apps::Exit;
using apps::Progress;
using apps::ProgressStyle;

constexpr const char* program = "stencil2d";

/// On rank 0: whether the field is that of a serial run.
template <typename T>
bool validate(const std::vector<T>& field, const Domain& domain, const Options& options) {
  const apps::Shape global = domain.global();
  std::printf("\n");
  Progress progress("validation by a serial run: iteration", options.iterations, options.progress);
  const Difference difference = compare(field, serial_run<T>(global, options.iterations, progress), global);
  std::printf("validation: %lld points, largest error %.3g%s\n", static_cast<long long>(global.points()),
              difference.largest, difference.none() ? " (equal to the last bit)" : "");
  if (difference.points > 0) {
    std::printf("  %lld points differ, the first at row %lld, column %lld\n",
                static_cast<long long>(difference.points), static_cast<long long>(difference.first.rows),
                static_cast<long long>(difference.first.columns));
  }
  if (difference.not_finite > 0) {
    std::printf(
        "  not validated: %lld points are not finite, even in the serial run (fewer --iterations%s)\n",
        static_cast<long long>(difference.not_finite),
        options.precision == Precision::single_precision ? ", or --type double" : "");
  }
  return difference.none();
}

/// What rank 0 does alone after the run, with the whole field if it was gathered.
template <typename T>
bool conclude(const std::vector<T>& field, const Setup& setup, const Options& options) {
  bool right = !options.validate || validate(field, setup.domain, options);
  right = (options.picture.empty() ||
           apps::draw(options.picture, apps::render(field, setup.domain.global(), setup.domain.grid))) &&
          right;
  if (options.table) {
    std::fflush(stdout);
    right = print_host_pack_table() && right;
    right = (setup.machine.gpus == 0 || print_gpu_pack_table()) && right;
  }
  return right;
}

/// Collective. What exchanges the halos of the solver's arrays.
template <typename T>
std::unique_ptr<Halo> make_halo(ExchangeBy by, const Setup& setup, const Solver<T>& solver, MPI_Comm comm) {
  if (by == ExchangeBy::typewarp) {
    return std::make_unique<HaloByTypewarp>(setup.domain, element_of<T>,
                                            reinterpret_cast<std::byte*>(solver.field()), comm);
  }
  if (by == ExchangeBy::mpi) {
    return std::make_unique<HaloByMpi>(setup.domain, std::is_same_v<T, float> ? MPI_FLOAT : MPI_DOUBLE, comm);
  }
  std::unique_ptr<Halo> halo;
  apps::together(comm, [&] {
    halo = std::make_unique<HaloByHand>(setup.domain, sizeof(T), setup.machine.memory, comm);
  });
  return halo;
}

/// Collective. Runs the solver and says how long that took; the whole field on rank 0 if it will be needed.
/// An error of this rank alone ends the job here, since what exchanges the halos goes on all ranks or on
/// none.
template <typename T>
std::vector<T> compute(Solver<T>& solver, Halo& halo, const Setup& setup, const Options& options,
                       MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Progress progress("stencil: iteration", options.iterations,
                    rank == 0 ? options.progress : ProgressStyle::none);
  return apps::leave_together(program, comm, [&]() -> std::vector<T> {
    const PhaseTimes times = solver.run(options.iterations, options.by_side, halo, progress);
    print_phases(times, setup.domain, options.iterations, halo.bytes_sent(), comm);
    if (!options.validate && options.picture.empty()) return {};
    return gather(setup.domain, solver.field(), solver.stream().get(), comm);
  });
}

/// Collective. The whole job for elements of one type.
template <typename T>
Exit run(const Options& options, const Setup& setup, MPI_Comm comm) {
  std::unique_ptr<Solver<T>> solver;
  apps::together(comm,
                 [&] { solver = std::make_unique<Solver<T>>(setup.domain, setup.machine.memory, comm); });
  const std::unique_ptr<Halo> halo = make_halo(options.exchange, setup, *solver, comm);
  const std::vector<T> field = compute(*solver, *halo, setup, options, comm);
  return apps::conclude(comm, options.validate, [&] { return conclude(field, setup, options); });
}

Exit run(const Options& options, MPI_Comm comm) {
  const Setup setup = set_up(options, comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    print_configuration(options, setup);
  }
  return options.precision == Precision::single_precision ? run<float>(options, setup, comm)
                                                          : run<double>(options, setup, comm);
}

}  // namespace

int main(int argc, char** argv) {
  return apps::run_program(program, argc, argv, MPI_THREAD_SINGLE, parse_options,
                           [](const Options& options, MPI_Comm comm) { return run(options, comm); });
}
