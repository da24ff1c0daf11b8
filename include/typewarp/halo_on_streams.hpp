// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/exchange.hpp>
#include <typewarp/halo.hpp>

#include <span>
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

/// What goes to a process of a grid, or comes from it: the owned elements of `field`, without its halo.
/// Blocks of one array are fields of the same memory whose descriptors own different ranges.
/// Field::along() has no effect.
struct FieldBlock {
  Field field;
  /// Coordinates, as in ProcessGrid::rank_of(). They may be those of this process.
  std::vector<int> process;
};

/// Blocks of arrays between any processes of a grid, as all_to_all_halo of the GCL moves them: one
/// process scatters an array to those that compute on its parts, or gathers it from them, or all of them
/// divide it in another way. Halos and all else keep their values.
///
/// The k-th block that a process sends to another is the k-th that the other receives from it, with as many
/// elements of the same type. They are in the order of their indices, the last dimension fastest, whatever
/// the storage at either end. The exchange is ordered by streams (exchange.hpp), and blocks stay bound to
/// their addresses. Collective over `grid`, which may be destroyed afterwards. Throws InvalidArgument that
/// names "to[i].process" or "from[i].process", and Disagreement in the ranks where nothing is wrong; what the
/// constructor of typewarp::Exchange throws.
///
///     const std::vector<halo::FieldBlock> own{{mine, root}};  // at root, one for each process in `all`
///     typewarp::Exchange scatter = halo::all_to_all(grid, all, own);
///     scatter.start(stream);
typewarp::Exchange all_to_all(const ProcessGrid& grid, std::span<const FieldBlock> to,
                              std::span<const FieldBlock> from, const ExchangeOptions& options = {});

}  // namespace typewarp::halo
