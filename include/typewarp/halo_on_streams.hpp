// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/exchange.hpp>
#include <typewarp/halo.hpp>

#include <vector>

namespace typewarp::halo {

/// The exchange of whole halos on all sides, diagonals included, as halo::Exchange does it, but started by
/// streams (exchange.hpp): no call of the MPI, no host in the loop, and graphs may hold it. Fields stay bound
/// where they lie. Collective over `grid`, which may go. Throws what the constructors of halo::Exchange and
/// typewarp::Exchange do.
///
///     typewarp::Exchange halos = halo::on_streams(grid, {u, v});
///     halos.start(stream);  // what is enqueued behind sees the halos
typewarp::Exchange on_streams(const ProcessGrid& grid, const std::vector<Field>& fields,
                              const ExchangeOptions& options = {});

}  // namespace typewarp::halo
