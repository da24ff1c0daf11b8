// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/problem.hpp"
#include "halo/pattern.hpp"
#include "mpi/agree.hpp"

#include <string>
#include <string_view>
#include <utility>

/// What all processes of a grid or an exchange have to agree on. All but the first two are collective.
namespace typewarp::halo {

using mpi::check_communicator;

/// How many ranks an argument has. Throws InvalidArgument for it, before it communicates.
int ranks_of(std::string_view caller, std::string_view argument, MPI_Comm comm);

/// Fills in the processes along each dimension that are 0. Throws InvalidArgument for "name.size()",
/// "name[d]" and `name`.
void complete(std::string_view caller, const std::string& name, std::vector<int>& sizes, int ranks);

/// If any process has a problem, throws on all: Disagreement with the text of the lowest such rank, and the
/// rank.
void agree(MPI_Comm comm, const std::string& problem);

/// Calls `step` on every process. What it throws on one goes on there; the others then throw Disagreement
/// with its text, when their own has come to an end: one that communicates must not wait for those that
/// failed.
template <typename Step>
void together(MPI_Comm comm, Step&& step) {
  typewarp::together([comm](const std::string& problem) { agree(comm, problem); }, std::forward<Step>(step));
}

struct SharedSetting {
  std::string name;
  std::int64_t value;
};
/// Throws Disagreement unless all have the same values. All give as many.
void check_same(MPI_Comm comm, std::span<const SharedSetting> choices);
/// Choices "name[d]" for max_dimensions dimensions, of which those beyond the end of `values` are 0.
template <typename Values>
void add_choices(std::vector<SharedSetting>& choices, const std::string& name, const Values& values) {
  for (std::size_t d = 0; d < max_dimensions; ++d) {
    choices.push_back({name + "[" + std::to_string(d) + "]", d < values.size() ? values[d] : 0});
  }
}

/// The transfers of whole halos, each field received in the order in which its neighbour sends it. Throws
/// what check() throws, and Disagreement unless all have as many fields and the same sides, and neighbours
/// send what is expected.
Transfers agreed_transfers(const ProcessGrid& grid, std::span<const Field> fields,
                           const std::vector<Direction>& sides);

}  // namespace typewarp::halo
