// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/communication.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace lammps {
namespace {

constexpr int metadata_tag = 10;

/// The atoms whose position along an axis makes `goes` true.
template <typename Goes>
std::vector<std::int32_t> pick(std::span<const double> x, std::size_t axis, Goes goes) {
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < x.size() / 3; ++i) {
    if (goes(x[3 * i + axis])) list.push_back(static_cast<std::int32_t>(i));
  }
  return list;
}

Part rows(std::vector<Column> columns, std::int64_t first, std::int64_t count, int peer, int tag) {
  return {std::move(columns), nullptr, first, count, peer, tag};
}

}  // namespace

Communication::Communication(const Domain& domain, By way, Atoms& atoms, MPI_Comm comm)
    : domain_(domain), atoms_(atoms), comm_(comm), means_{way, atoms.place(), comm, nullptr} {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int below = domain.below[axis];
    const int above = domain.above[axis];
    auto& [down, up] = both_[axis].swaps;
    down.to = up.from = below;
    down.from = up.to = above;
  }
  if (way != By::put) return;
  std::set<int> neighbours(domain.below.begin(), domain.below.end());
  neighbours.insert(domain.above.begin(), domain.above.end());
  arrays_.emplace(atoms.columns(), atoms.capacity(), neighbours, atoms.place(), comm);
  means_.arrays = &*arrays_;
}

void Communication::Both::assign(std::vector<std::int32_t> down, const std::vector<std::int32_t>& up,
                                 const Place& place) {
  swaps[0].size = swaps[1].start = std::ssize(down);
  swaps[1].size = std::ssize(up);
  down.insert(down.end(), up.begin(), up.end());
  list.assign(std::move(down), place);
}

Communication::~Communication() { atoms_.place().synchronize(); }

std::int64_t Communication::exchanged(std::int64_t mine, int to, int from) const {
  std::int64_t theirs = 0;
  MPI_Sendrecv(&mine, 1, MPI_INT64_T, to, metadata_tag, &theirs, 1, MPI_INT64_T, from, metadata_tag, comm_,
               MPI_STATUS_IGNORE);
  return theirs;
}

void Communication::migrate(Times& times) {
  atoms_.set_counts(atoms_.owned(), atoms_.owned());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    migrate(axis, times);
  }
}

void Communication::migrate(std::size_t axis, Times& times) {
  apps::Stopwatch watch;
  const Place& place = atoms_.place();
  const std::vector<double> x = place.fetched(atoms_.x(), 3 * atoms_.owned());
  place.run(Wrap{atoms_.x(), static_cast<int>(axis), domain_.length[axis]}, atoms_.owned());
  if (domain_.ranks[axis] == 1) return;
  const double low = domain_.low[axis];
  const double high = domain_.high[axis];
  Mirror<std::int32_t> keep;
  keep.assign(pick(x, axis, [&](double at) { return at >= low && at < high; }), place);
  Both& both = both_[axis];  // there are no ghosts
  both.assign(pick(x, axis, [&](double at) { return at < low; }),
              pick(x, axis, [&](double at) { return at >= high; }), place);
  std::int64_t owned = keep.size();
  for (Swap& swap : both.swaps) {
    swap.first = owned;
    swap.count = exchanged(swap.size, swap.to, swap.from);
    owned += swap.count;
  }
  atoms_.set_counts(owned, owned);
  times[Phase::lists] += watch.lap();

  const std::vector<Column> now{atoms_.positions(), atoms_.velocities(), atoms_.tag_column()};
  const std::vector<Column> then{atoms_.spare_positions(), atoms_.spare_velocities(), atoms_.spare_tags()};
  for (std::size_t i = 0; i < now.size(); ++i) {
    gather(place,
           {reinterpret_cast<const std::uint64_t*>(now[i].data), keep.data(), now[i].words,
            reinterpret_cast<std::uint64_t*>(then[i].data)},
           keep.size());
  }
  const std::unique_ptr<Transfer> transfer =
      make_transfer(means_, Repetition::once, parts_of(both, now, then), staging_[axis]);
  transfer->run();
  atoms_.swap_spares();
  place.synchronize();  // before the lists and the transfer go
  times[Phase::move] += watch.lap();
}

void Communication::make_ghosts(Times& times) {
  images_.assign(static_cast<std::size_t>(atoms_.owned()), no_image);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    make_ghosts(axis, times);
  }
  prepare(times);
}

void Communication::make_ghosts(std::size_t axis, Times& times) {
  apps::Stopwatch watch;
  const Place& place = atoms_.place();
  const std::vector<double> x = place.fetched(atoms_.x(), 3 * atoms_.all());
  Both& both = both_[axis];
  both.assign(pick(x, axis, [&](double at) { return at < domain_.low[axis] + reach; }),
              pick(x, axis, [&](double at) { return at >= domain_.high[axis] - reach; }), place);
  const std::vector<Image> before = images_;
  for (std::size_t direction = 0; direction < 2; ++direction) {
    Swap& swap = both.swaps[direction];
    std::vector<Image> outgoing;
    for (std::int64_t k = swap.start; k < swap.start + swap.size; ++k) {
      const std::int32_t i = both.list.values()[static_cast<std::size_t>(k)];
      outgoing.push_back(before[static_cast<std::size_t>(i)]);
    }
    add_ghosts(swap, axis, static_cast<int>(direction), outgoing);
  }
  times[Phase::lists] += watch.lap();
  const std::vector<Column> columns{atoms_.positions(), atoms_.tag_column()};
  const std::unique_ptr<Transfer> transfer =
      make_transfer(means_, Repetition::once, parts_of(both, columns, columns), staging_[axis]);
  transfer->run();
  place.synchronize();  // before the transfer goes
  times[Phase::move] += watch.lap();
}

/// Makes room for the ghosts of a swap, and notes which images they are.
void Communication::add_ghosts(Swap& swap, std::size_t axis, int direction,
                               const std::vector<Image>& outgoing) {
  swap.first = atoms_.all();
  swap.count = exchanged(std::ssize(outgoing), swap.to, swap.from);
  atoms_.set_counts(atoms_.owned(), swap.first + swap.count);
  std::vector<Image> incoming(static_cast<std::size_t>(swap.count));
  MPI_Sendrecv(outgoing.data(), static_cast<int>(outgoing.size()), MPI_UINT8_T, swap.to, metadata_tag,
               incoming.data(), static_cast<int>(incoming.size()), MPI_UINT8_T, swap.from, metadata_tag,
               comm_, MPI_STATUS_IGNORE);
  // What comes from above at the top of the box is from its bottom, and the other way round.
  const bool at_end = domain_.position[axis] == (direction == 0 ? domain_.ranks[axis] - 1 : 0);
  const int step = !at_end ? 0 : direction == 0 ? 1 : -1;
  for (const Image image : incoming) {
    images_.push_back(moved(image, static_cast<int>(axis), step));
  }
}

Parts Communication::parts_of(const Both& both, const std::vector<Column>& from,
                              const std::vector<Column>& to) const {
  Parts parts;
  int tag = 0;
  for (const Swap& swap : both.swaps) {
    parts.sends.push_back({from, &both.list, swap.start, swap.size, swap.to, tag});
    parts.receives.push_back(rows(to, swap.first, swap.count, swap.from, tag));
    ++tag;
  }
  return parts;
}

Parts Communication::reverse_parts_of(const Both& both) const {
  Parts parts;
  int tag = 0;
  for (const Swap& swap : both.swaps) {
    parts.sends.push_back(rows({atoms_.forces()}, swap.first, swap.count, swap.from, tag));
    parts.receives.push_back(rows({atoms_.back()}, swap.start, swap.size, swap.to, tag));
    ++tag;
  }
  return parts;
}

void Communication::prepare(Times& times) {
  apps::Stopwatch watch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    forward_[axis].reset();  // those of the previous ghosts go first, on all ranks
    reverse_[axis].reset();
    const Both& both = both_[axis];
    const std::vector<Column> positions{atoms_.positions()};
    forward_[axis] =
        make_transfer(means_, Repetition::repeated, parts_of(both, positions, positions), staging_[axis]);
    reverse_[axis] = make_transfer(means_, Repetition::repeated, reverse_parts_of(both), staging_[axis]);
  }
  times[Phase::prepare] += watch.lap();
}

void Communication::forward(Times& times) {
  apps::Stopwatch watch;
  for (const std::unique_ptr<Transfer>& transfer : forward_) {
    transfer->run();
  }
  atoms_.place().synchronize();  // so that the phases are apart
  times[Phase::forward] += watch.lap();
}

void Communication::reverse(Times& times) {
  apps::Stopwatch watch;
  for (std::size_t axis = 3; axis-- > 0;) {
    reverse_[axis]->run();
    const Both& both = both_[axis];
    for (const Swap& swap : both.swaps) {
      atoms_.place().run(AddVectors{reinterpret_cast<const double*>(atoms_.back().row(swap.start)),
                                    both.list.data() + swap.start, atoms_.f()},
                         swap.size);
    }
  }
  atoms_.place().synchronize();
  times[Phase::reverse] += watch.lap();
}

}  // namespace lammps
