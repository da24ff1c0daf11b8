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

/// Where each of the fields is; in host memory, all of them, where there is no GPU.
std::vector<PointerInfo> memory_of(std::span<const Field> fields);
/// Whether that is one kind of memory, and of one device if it is a device's.
bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept;
/// The device that has fields; -1 if all are in host memory. Throws InvalidArgument that names
/// "fields[i].data" where several devices have memory of their own: an exchange is enqueued on one stream.
int device_of(std::span<const PointerInfo> memory);

/// The parts of all transfers, of fields in this memory, if that is known; `index` is that of the transfer
/// times the number of fields, and that of the field. Fields with elements of the largest powers of two are
/// first, so that in a message all elements lie at multiples of these powers, which suits words of that
/// length.
schedule::Schedule schedule_of(std::span<const Field> fields, const Transfers& transfers, int rank,
                               std::span<const PointerInfo> memory = {});

}  // namespace typewarp::halo
