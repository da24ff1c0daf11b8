// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/schedule.hpp"

#include <typewarp/halo.hpp>

/// Who gets which elements of whom: plain values, computed without any communication.
namespace typewarp::halo {

/// What travels in one direction: from here to one neighbour, and from the one on the other side to here.
struct HaloTransfer {
  Direction side;                   ///< of the halo that is filled here; data travels the other way
  int to, from;                     ///< ranks of the grid: this one for both, or another one or MPI_PROC_NULL
  std::vector<Box> sent, received;  ///< of each field
  /// In which order the dimensions of each field travel.
  std::vector<std::vector<int>> sent_order, received_order;
};

using Transfers = std::vector<HaloTransfer>;

/// The transfers that fill halos of at most `width` on these sides (none given: all). Fields are received in
/// the order in which this process would send them.
Transfers transfers_of(const ProcessGrid& grid, std::span<const Field> fields,
                       const std::vector<Direction>& sides, std::int64_t width);

/// Throws InvalidArgument, which names "options.sides[i]" or "fields[i]...", for what cannot be exchanged on
/// that grid: dimensions that it does not have, and halos of neighbours that need more than this process
/// owns.
void check(const ProcessGrid& grid, std::span<const Field> fields, const std::vector<Direction>& sides);

/// The parts of all transfers; `index` is that of the transfer times the number of fields, and that of the
/// field. Fields with elements of the largest powers of two are first, so that in a message all elements lie
/// at multiples of these powers, which suits words of that length.
schedule::Schedule schedule_of(std::span<const Field> fields, const Transfers& transfers, int rank);

}  // namespace typewarp::halo
