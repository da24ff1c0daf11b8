// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/call.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "mpi/large.hpp"
#include "transport/collective/neighbours.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <exception>
#include <ranges>

namespace typewarp::interpose {

Group all_of(MPI_Comm comm) {
  Group group;
  if (comm == MPI_COMM_NULL) return group;
  int between_groups = 0;
  int size = 0;
  mpi::check(PMPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  mpi::check(PMPI_Comm_rank(comm, &group.rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  group.is_known = true;
  group.between_groups = between_groups != 0;
  group.size = static_cast<std::size_t>(size);
  if (group.between_groups) mpi::check(PMPI_Comm_remote_size(comm, &size), "MPI_Comm_remote_size");
  group.sends = group.receives = static_cast<std::size_t>(size);
  return group;
}

Group neighbours_of(MPI_Comm comm) {
  Group group;
  if (comm == MPI_COMM_NULL) return group;
  int topology = MPI_UNDEFINED;
  mpi::check(PMPI_Topo_test(comm, &topology), "MPI_Topo_test");
  if (topology == MPI_UNDEFINED) return group;
  group.is_known = true;
  int sources = 0;
  int destinations = 0;
  int weighted = 0;
  if (topology == MPI_DIST_GRAPH) {
    mpi::check(PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted),
               "MPI_Dist_graph_neighbors_count");
  } else if (topology == MPI_CART) {
    mpi::check(PMPI_Cartdim_get(comm, &sources), "MPI_Cartdim_get");
    sources = destinations = 2 * sources;
  } else {
    mpi::check(PMPI_Comm_rank(comm, &group.rank), "MPI_Comm_rank");
    mpi::check(PMPI_Graph_neighbors_count(comm, group.rank, &sources), "MPI_Graph_neighbors_count");
    destinations = sources;
  }
  group.sends = static_cast<std::size_t>(destinations);
  group.receives = static_cast<std::size_t>(sources);
  return group;
}

bool some_source_is_nobody(MPI_Comm comm) {
  using transport::Neighbours;
  return std::ranges::any_of(transport::in_topology(comm).sources,
                             [](const Neighbours::Edge& edge) { return edge.rank == MPI_PROC_NULL; });
}

Participants::Participants(const Group& group, int root) noexcept {
  const auto size = static_cast<int>(group.size);
  if (group.between_groups || size < 2 || root < 0 || root >= size) return;
  all = size;
  own = group.rank;
  is_root = own == root;
}

namespace {

std::int64_t items_in(std::int64_t bytes, MPI_Datatype type) {
  const std::int64_t item = mpi::size(type);
  return item == 0 ? CallSide::no_limit : bytes / item;
}

std::int64_t sum(const IntArray& counts, std::size_t size) noexcept {
  std::int64_t all = 0;
  for (std::size_t i = 0; counts && i < size; ++i) all += counts[i];
  return all;
}

/// In place, the operands are what is received into.
void join_reduction(Call& call) {
  const Combining& all = call.combining;
  std::int64_t sent = all.count;
  std::int64_t received = all.count;
  call.sent.size = call.received.size = 1;
  if (call.pattern == CallPattern::reduce) {
    call.sent.size = call.members().is_leaf(call.root) ? 1 : 0;
    call.received.size = call.members().is_root(call.root) ? 1 : 0;
  } else if (call.pattern == CallPattern::reduce_scatter) {
    const Group& group = call.members();
    sent = all.counts ? sum(all.counts, group.size) : static_cast<std::int64_t>(group.size) * all.count;
    received = group.rank < 0 ? 0 : all.count_of(static_cast<std::size_t>(group.rank));
    if (call.sent.in_place()) received = sent;
  }
  call.sent.count = sent;
  call.received.count = received;
}

void join_move(Call& call, const Group& group) {
  const bool is_root = call.has_root() && group.is_root(call.root);
  const bool is_leaf = call.has_root() && group.is_leaf(call.root);
  std::size_t& sends = call.sent.size;
  std::size_t& receives = call.received.size;
  switch (call.pattern) {
    case CallPattern::bcast:
      sends = is_root ? 1 : 0;
      receives = !is_root && is_leaf ? 1 : 0;
      break;
    case CallPattern::gather:
      sends = is_leaf ? 1 : 0;
      receives = is_root ? group.receives : 0;
      break;
    case CallPattern::scatter:
      sends = is_root ? group.sends : 0;
      receives = is_leaf ? 1 : 0;
      break;
    case CallPattern::allgather:
      sends = call.among_neighbours && group.sends == 0 ? 0 : 1;  // to no neighbours nothing is sent
      receives = group.receives;
      break;
    default:
      sends = group.sends;
      receives = group.receives;
  }
}

bool sends_to(const Call& call, const Participants& ranks, int rank) noexcept {
  switch (call.pattern) {
    case CallPattern::bcast:
      return ranks.is_root && rank != call.root;
    case CallPattern::gather:
      return rank == call.root;
    case CallPattern::scatter:
      return ranks.is_root;
    default:
      return true;
  }
}

bool receives_from(const Call& call, const Participants& ranks, int rank) noexcept {
  switch (call.pattern) {
    case CallPattern::bcast:
      return !ranks.is_root && rank == call.root;
    case CallPattern::gather:
      return ranks.is_root;
    case CallPattern::scatter:
      return rank == call.root;
    default:
      return true;
  }
}

BlockPlace place(const CallSide& side, int rank) {
  const auto i = static_cast<std::size_t>(rank);
  if (!side.is_regular() && (!side.counts || !side.displacements))
    throw InvalidArgument("typewarp", "counts", "null", "must be an array, as must the displacements");
  if (side.count_of(i) < 0)
    throw InvalidArgument("typewarp", "count", side.count_of(i), "must not be negative");
  return {side.count_of(i), side.place_of(i)};
}

[[noreturn]] void refuse_in_place(const char* why) {
  throw InvalidArgument("typewarp", "buffer", "MPI_IN_PLACE", why);
}

}  // namespace

void IntList::add(std::int64_t value) {
  if (is_wide_) return wide_.push_back(value);
  if (value != static_cast<int>(value))
    throw InvalidArgument("typewarp", "counts", value, "bytes are more than this call can count");
  narrow_.push_back(static_cast<int>(value));
}

Data CallSide::data(std::size_t i) const {
  if (count_of(i) == 0 && type_of(i) == MPI_DATATYPE_NULL) return data_needed(nullptr, 0, MPI_BYTE, comm);
  return data_needed(buffer, count_of(i), type_of(i), comm, byte_place(i));
}

std::int64_t CallSide::bytes() const {
  if (is_regular()) return has_items(0) ? items() * mpi::size(type) : 0;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < size && is_given(); ++i) {
    if (has_items(i)) all += count_of(i) * mpi::size(type_of(i));
  }
  return all;
}

bool CallSide::is_longer(std::size_t i, std::int64_t longest) const {
  return longest != no_limit && has_items(i) && count_of(i) > items_in(longest, type_of(i));
}

bool CallSide::has_negative() const noexcept {
  for (std::size_t i = 0; is_given() && i < size; ++i) {
    if (count_of(i) < 0) return true;
  }
  return false;
}

bool CallSide::any_is_longer(std::int64_t longest) const {
  if (longest == no_limit || !is_given()) return false;
  if (placing == Placing::in_bytes) {
    for (std::size_t i = 0; i < size; ++i) {
      if (is_longer(i, longest)) return true;
    }
    return false;
  }
  std::int64_t most = 0;
  for (std::size_t i = 0; i < size; ++i) most = std::max(most, count_of(i));
  return most > 0 && type != MPI_DATATYPE_NULL && most > items_in(longest, type);
}

bool CallSide::any_is_ours(std::int64_t longest) const {
  if (is_regular()) return items_are_ours(buffer, items(), type, comm);
  if (has_negative()) return false;
  for (std::size_t i = 0; is_given() && i < size; ++i) {
    if (count_of(i) > 0 && !is_longer(i, longest) &&
        data_if_ours(buffer, count_of(i), type_of(i), comm, byte_place(i)))
      return true;
  }
  return false;
}

/// Asks the MPI: also a datatype without a plan has an extent.
std::int64_t CallSide::byte_place(std::size_t i) const {
  MPI_Aint lb = 0;
  MPI_Aint extent = 1;
  if (placing != Placing::in_bytes && type != MPI_DATATYPE_NULL) PMPI_Type_get_extent(type, &lb, &extent);
  return place_of(i) * extent;
}

bool Call::fills() const {
  if (pattern == CallPattern::reduce_local || pattern == CallPattern::exscan || in_place()) return true;
  return among_neighbours && some_source_is_nobody(comm);
}

const Group& Call::members() {
  if (!group) group = among_neighbours ? neighbours_of(comm) : all_of(comm);
  return *group;
}

void Call::join() { combines() ? join_reduction(*this) : join_move(*this, members()); }

Participants Call::ranks() noexcept {
  try {
    join();
    return has_root() ? Participants(members(), root) : Participants(members());
  } catch (const MpiError&) {
    return {};
  }
}

CallBlocks blocks_of(const Call& call, const Participants& ranks) {
  const bool in_place = call.in_place();
  if (in_place && call.has_root() && !ranks.is_root) refuse_in_place("is the root's");
  const bool is_allgather = call.pattern == CallPattern::allgather;
  const CallSide& from = in_place && is_allgather ? call.received : call.sent;
  CallBlocks blocks{{from.buffer, from.type}, {call.received.buffer, call.received.type}, {}, {}};
  blocks.replaces = in_place && call.pattern == CallPattern::alltoall;
  for (int rank = 0; rank < ranks.all; ++rank) {
    if (in_place && rank == ranks.own) continue;
    const int block = in_place && is_allgather ? ranks.own : rank;
    if (!blocks.replaces && sends_to(call, ranks, rank)) blocks.sends.push_back({rank, place(from, block)});
    if (receives_from(call, ranks, rank)) blocks.receives.push_back({rank, place(call.received, rank)});
  }
  if ((!blocks.sends.empty() && from.in_place()) || (!blocks.receives.empty() && call.received.in_place()))
    refuse_in_place("must be memory here");
  return blocks;
}

std::int64_t packed_bytes(std::int64_t items, MPI_Datatype type) noexcept {
  if (items <= 0 || type == MPI_DATATYPE_NULL) return 0;
  try {
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(items, mpi::size(type), &bytes) ? 0 : bytes;
  } catch (const MpiError&) {
    return 0;
  }
}

bool items_are_ours(const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Comm comm) {
  if (items <= 0) return false;
  const std::optional<Data> data = data_if_ours(buffer, items, type, comm);
  return data && !is_nowhere(*data);
}

namespace {

bool is_a_root(const Group& group, int root) noexcept {
  if (!group.between_groups) return root >= 0 && static_cast<std::size_t>(root) < group.size;
  if (root == MPI_ROOT || root == MPI_PROC_NULL) return true;
  return root >= 0 && static_cast<std::size_t>(root) < group.receives;
}

/// Sides in place and missing arrays are checked elsewhere.
bool is_wrong(const CallSide& side) noexcept {
  if (side.size == 0 || !side.is_given()) return false;
  const std::size_t different = side.is_regular() ? 1 : side.size;
  return std::ranges::any_of(std::views::iota(std::size_t{0}, different), [&](std::size_t i) {
    const std::int64_t count = side.count_of(i);
    return count < 0 || (count > 0 && side.type_of(i) == MPI_DATATYPE_NULL);
  });
}

bool is_wrong(const Combining& combining, const Group& group) noexcept {
  if (combining.op == MPI_OP_NULL) return true;
  const std::size_t different = combining.counts ? group.size : 1;
  return std::ranges::any_of(std::views::iota(std::size_t{0}, different),
                             [&](std::size_t i) { return combining.count_of(i) < 0; });
}

}  // namespace

bool has_wrong_argument(Call& call) noexcept {
  if (call.pattern == CallPattern::reduce_local) return is_wrong(call.combining, Group{});
  try {
    call.join();
    const Group& group = call.members();
    if (!group.is_known || (call.has_root() && !is_a_root(group, call.root))) return true;
    if (call.combines() && is_wrong(call.combining, group)) return true;
    return is_wrong(call.sent) || is_wrong(call.received);
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace typewarp::interpose
