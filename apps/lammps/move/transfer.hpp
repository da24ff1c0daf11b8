// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/atoms.hpp"
#include "lammps/move/by.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace lammps {

class MappedArrays;
struct Staging;

/// Rows of several columns, for a rank or from it: `count` from row `first` on, or those that a list names
/// from its value `first` on.
struct Part {
  std::vector<Column> columns;
  const Mirror<std::int32_t>* list;  ///< null: none
  std::int64_t first, count;
  int peer;
  int tag;  ///< the same at both ends

  std::int64_t bytes() const;
};

/// What one rank sends and receives at a time.
struct Parts {
  std::vector<Part> sends;
  std::vector<Part> receives;  ///< without lists; between the same two ranks in the order of their sends
};

/// Moves the same parts as often as it is asked to. Lives until the place's stream has passed what it did.
class Transfer {
 public:
  Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  virtual ~Transfer() = default;

  /// After the work that the place's stream holds; work that it gets from then on sees what was received.
  virtual void run() = 0;
};

/// Whether the parts are moved once, or repeatedly.
enum class Repetition : bool { once, repeated };
/// What the transfers of a run have in common. All that it refers to lives as long as they.
struct Means {
  By way;
  const Place& place;
  MPI_Comm comm;
  MappedArrays* arrays;  ///< for By::put
};
/// Collective. `parts` are at most two each way; staging lives as long as the transfer.
std::unique_ptr<Transfer> make_transfer(const Means& means, Repetition repetition, Parts parts,
                                        Staging& staging);

}  // namespace lammps
