// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <typewarp/indexed_copy.hpp>
#include <typewarp/registered_memory.hpp>

#include <mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lammps {

/// The arrays of this rank, registered once, and those of its neighbours as this one reaches them. Ranks tell
/// each other by signals, one for each pair and kind, how often they were ready and have put.
class MappedArrays {
 public:
  /// Where rows go: the first one, and which arrays of the rank that has them, as many as are put.
  struct Target {
    std::int64_t first = 0;
    std::array<std::int64_t, 3> arrays{};
  };
  struct Put {
    Part sent;
    Target target;  ///< of the rank that the part goes to
  };

  /// Collective. Each column has `rows` rows in memory of a GPU. All ranks give as many, of the same width in
  /// the same order. A rank that is a neighbour of another has that one as neighbour. Throws apps::Refusal on
  /// all ranks where one does not reach another.
  MappedArrays(std::vector<Column> columns, std::int64_t rows, const std::set<int>& neighbours,
               const Place& place, MPI_Comm comm);

  /// Of what this rank receives.
  Target target(const Part& received) const;

  /// Stores the rows in the arrays of the rank that they go to, which may be this one: enqueued. Between
  /// begin() and finish(), unless it is.
  void put(const Put& put);

  /// In the order of the place's stream: lets a rank put once; waits until it lets this one, and begins; ends
  /// that and tells it; waits until it has put.
  void let(int rank);
  void begin(int rank);
  void finish(int rank);
  void wait(int rank);

 private:
  enum Kind : int { ready, done };
  struct Neighbour {
    std::optional<typewarp::RemoteMemory> memory;  ///< none of this rank itself
    std::array<std::int64_t, 2> told{}, heard{};   ///< by kind
    /// By the arrays at both ends, as pairs.
    std::map<std::vector<std::int64_t>, typewarp::IndexedCopy> copies;
  };

  Neighbour& at(int rank) { return neighbours_.at(rank); }
  void await(int rank, Kind kind);
  std::int64_t number_of(const Column& column) const;
  typewarp::ItemArray items(const Column& column, void* data) const;
  typewarp::IndexedCopy& copy_for(const Put& put);

  const Place& place_;
  std::vector<Column> columns_;
  std::int64_t rows_;
  int rank_ = 0;
  Mirror<std::int32_t> numbers_;  ///< 0, 1, and so on: rows one after the other, as a list
  std::optional<typewarp::RegisteredMemory> memory_;
  std::map<int, Neighbour> neighbours_;  ///< by rank
};

}  // namespace lammps
