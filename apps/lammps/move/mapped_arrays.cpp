// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/mapped_arrays.hpp"

#include "common/collective.hpp"

#include <typewarp/datatype.hpp>
#include <typewarp/plan.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>
#include <utility>

namespace lammps {
namespace {

/// A neighbour that has not come by then is gone.
constexpr std::chrono::minutes patience{1};

/// Collective. What each rank has, rank by rank.
std::vector<std::vector<std::byte>> gathered(std::span<const std::byte> mine, MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  const int size = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(ranks)), places(sizes.size());
  MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, comm);
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::vector<std::byte> all(static_cast<std::size_t>(places.back() + sizes.back()));
  MPI_Allgatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), places.data(), MPI_BYTE, comm);
  std::vector<std::vector<std::byte>> result;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto first = all.begin() + places[i];
    result.emplace_back(first, first + sizes[i]);
  }
  return result;
}

}  // namespace

MappedArrays::MappedArrays(std::vector<Column> columns, std::int64_t rows, const std::set<int>& neighbours,
                           const Place& place, MPI_Comm comm)
    : place_(place), columns_(std::move(columns)), rows_(rows) {
  int ranks = 0;
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks);
  apps::together(comm, [&] {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(rows));
    std::iota(numbers.begin(), numbers.end(), 0);
    numbers_.assign(std::move(numbers), place);
    std::vector<typewarp::MemoryRange> ranges;
    for (const Column& column : columns_) {
      ranges.push_back({column.data, 8 * column.words * rows});
    }
    memory_.emplace(ranges, typewarp::RegistrationOptions{2 * ranks, patience});
  });
  const std::vector<std::vector<std::byte>> handles = gathered(memory_->handle(), comm);
  apps::together(comm, [&] {
    for (const int rank : neighbours) {
      Neighbour& neighbour = neighbours_[rank];
      if (rank != rank_) neighbour.memory.emplace(handles[static_cast<std::size_t>(rank)]);
    }
  });
}

MappedArrays::Target MappedArrays::target(const Part& received) const {
  Target target{received.first, {}};
  for (std::size_t i = 0; i < received.columns.size(); ++i) {
    target.arrays.at(i) = number_of(received.columns[i]);
  }
  return target;
}

std::int64_t MappedArrays::number_of(const Column& column) const {
  const auto found = std::ranges::find(columns_, column.data, &Column::data);
  if (found == columns_.end()) throw typewarp::Error("an array that is not registered");
  return found - columns_.begin();
}

void MappedArrays::put(const Put& put) {
  const auto& [sent, target] = put;
  const Mirror<std::int32_t>& list = sent.list != nullptr ? *sent.list : numbers_;
  copy_for(put).copy(list.data() + sent.first, numbers_.data() + target.first, sent.count, place_.stream());
}

typewarp::IndexedCopy& MappedArrays::copy_for(const Put& put) {
  const auto& [sent, target] = put;
  std::vector<std::int64_t> key;
  for (std::size_t i = 0; i < sent.columns.size(); ++i) {
    key.insert(key.end(), {number_of(sent.columns[i]), target.arrays[i]});
  }
  Neighbour& neighbour = at(sent.peer);
  const auto found = neighbour.copies.find(key);
  if (found != neighbour.copies.end()) return found->second;
  std::vector<typewarp::ItemArray> from, to;
  for (std::size_t i = 0; i < sent.columns.size(); ++i) {
    const Column& column = sent.columns[i];
    const auto array = static_cast<std::size_t>(target.arrays[i]);
    from.push_back(items(column, column.data));
    to.push_back(items(
        column, neighbour.memory ? neighbour.memory->ranges()[array].address : columns_.at(array).data));
  }
  return neighbour.copies.emplace(std::move(key), typewarp::IndexedCopy(from, to)).first->second;
}

typewarp::ItemArray MappedArrays::items(const Column& column, void* data) const {
  const typewarp::Datatype row = typewarp::contiguous(column.words, typewarp::Named::int64);
  return {data, rows_, 8 * column.words, typewarp::commit(row)};
}

void MappedArrays::let(int rank) {
  Neighbour& neighbour = at(rank);
  neighbour.memory->use(place_.stream(), [] {}, {2 * rank_ + ready, ++neighbour.told[ready]});
}

void MappedArrays::begin(int rank) {
  await(rank, ready);
  at(rank).memory->begin(place_.stream());
}

void MappedArrays::finish(int rank) {
  Neighbour& neighbour = at(rank);
  neighbour.memory->finish(place_.stream(), {2 * rank_ + done, ++neighbour.told[done]});
}

void MappedArrays::wait(int rank) { await(rank, done); }

void MappedArrays::await(int rank, Kind kind) {
  memory_->wait(2 * rank + kind, ++at(rank).heard[kind], place_.stream());
}

}  // namespace lammps
