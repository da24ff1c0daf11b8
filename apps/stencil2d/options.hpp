// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/leave.hpp"
#include "common/progress.hpp"
#include "common/shape.hpp"

#include <typewarp/engine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace stencil2d {

enum class Precision : std::uint8_t { single_precision, double_precision };

/// How halos are exchanged.
enum class ExchangeBy : std::uint8_t {
  typewarp,  ///< by the library's halo exchange
  hand,      ///< by cudaMemcpy2D and the MPI
  mpi,       ///< by derived datatypes of the MPI
};

/// What the command line asks for, checked as far as it can be without knowing the number of ranks.
struct Options {
  std::optional<apps::Shape> grid;  ///< ranks; absent: chosen by MPI_Dims_create
  apps::Shape size{1024, 1024};     ///< owned points of each rank
  std::int64_t iterations = 400;    ///< at most 10^15
  std::int64_t halo = 1;            ///< also the iterations between two exchanges
  Precision precision = Precision::double_precision;
  std::optional<typewarp::MemoryKind> memory;  ///< of the field; absent: device if there is a GPU, else host
  ExchangeBy exchange = ExchangeBy::typewarp;
  bool by_side = false;  ///< whether copies and messages of each side are timed
  bool validate = true;
  bool table = true;
  std::string picture;  ///< path, ending in .png or .ppm; empty: none
  apps::ProgressStyle progress = apps::ProgressStyle::automatic;
};

/// Reads the command line. Depends on nothing but its arguments, so all ranks come to the same end.
std::variant<Options, apps::Leave> parse_options(int argc, const char* const* argv);

}  // namespace stencil2d
