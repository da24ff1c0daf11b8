// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/exchange.hpp>
#include <typewarp/halo.hpp>

#include <vector>

namespace typewarp::halo {

/// The exchange of whole halos on all sides, diagonals included, like halo::Exchange, but ordered by streams
/// (exchange.hpp): no MPI call, no host involved, and it can be captured into graphs. Fields stay bound to
/// their addresses. Collective over `grid`, which may be destroyed afterwards. Throws what the constructors
/// of halo::Exchange and typewarp::Exchange throw.
///
///     typewarp::Exchange halos = halo::on_streams(grid, {u, v});
///     halos.start(stream);  // later work on the stream sees the halos
typewarp::Exchange on_streams(const ProcessGrid& grid, const std::vector<Field>& fields,
                              const ExchangeOptions& options = {});

}  // namespace typewarp::halo
