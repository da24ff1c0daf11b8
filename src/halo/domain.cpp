// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_domain.hpp>

#include "halo/agreement.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace typewarp::halo {
namespace {

constexpr std::string_view call = "typewarp::halo::Domain";

void check(const std::vector<std::int64_t>& cells, std::int64_t width) {
  if (cells.empty() || cells.size() > max_dimensions) {
    throw InvalidArgument(call, "cells.size()", static_cast<long long>(cells.size()),
                          "must be 1 to " + std::to_string(max_dimensions) + ", one a dimension");
  }
  if (width < 0) throw InvalidArgument(call, "options.width", width, "must not be negative");
  for (std::size_t d = 0; d < cells.size(); ++d) {
    if (cells[d] >= std::max<std::int64_t>(width, 1)) continue;
    throw InvalidArgument(call, "cells[" + std::to_string(d) + "]", cells[d],
                          "must be positive, and not less than the halo's width");
  }
}

/// `entries`, or as many of the default if there are none.
template <typename T>
std::vector<T> completed(const char* name, const std::vector<T>& entries, std::size_t dimensions) {
  if (entries.empty()) return std::vector<T>(dimensions, T());
  if (entries.size() == dimensions) return entries;
  throw InvalidArgument(call, std::string(name) + ".size()", static_cast<long long>(entries.size()),
                        "must be " + std::to_string(dimensions) + ", one entry a dimension");
}

/// Collective: the processes along each dimension of a domain that all describe alike.
std::vector<int> agreed_processes(MPI_Comm comm, const std::vector<std::int64_t>& cells,
                                  const DomainOptions& options) {
  const int ranks = ranks_of(call, "comm", comm);
  std::vector<int> processes;
  std::vector<bool> periodic;
  together(comm, [&] {
    check(cells, options.width);
    processes = completed("options.processes", options.processes, cells.size());
    periodic = completed("options.periodic", options.periodic, cells.size());
    complete(call, "options.processes", processes, ranks);
  });
  std::vector<SharedSetting> choices{{"cells.size()", static_cast<std::int64_t>(cells.size())},
                                     {"options.width", options.width}};
  add_choices(choices, "cells", cells);
  add_choices(choices, "options.processes", processes);
  add_choices(choices, "options.periodic", periodic);
  check_same(comm, choices);
  return processes;
}

}  // namespace

Domain::Domain(MPI_Comm comm, std::vector<std::int64_t> cells, const DomainOptions& options)
    : cells_(std::move(cells)),
      width_(options.width),
      grid_(comm, agreed_processes(comm, cells_, options), options.periodic) {}

std::vector<std::int64_t> Domain::global_cells() const {
  std::vector<std::int64_t> global = cells_;
  for (std::size_t d = 0; d < global.size(); ++d) global[d] *= grid_.sizes()[d];
  return global;
}

std::vector<std::int64_t> Domain::origin() const {
  std::vector<std::int64_t> origin = cells_;
  for (std::size_t d = 0; d < origin.size(); ++d) origin[d] *= grid_.coordinates()[d];
  return origin;
}

std::vector<Descriptor> Domain::descriptors(const std::vector<int>& staggered) const {
  std::vector<Descriptor> made;
  for (const std::int64_t length : cells_) made.push_back(with_halo(length, width_));
  for (std::size_t i = 0; i < staggered.size(); ++i) {
    if (staggered[i] < 0 || staggered[i] >= static_cast<int>(dimensions())) {
      throw InvalidArgument(call, "staggered[" + std::to_string(i) + "]", staggered[i],
                            "must be one of the " + std::to_string(dimensions()) + " dimensions");
    }
    Descriptor& descriptor = made[static_cast<std::size_t>(staggered[i])];
    descriptor.plus = width_ + 1;
    descriptor.total_length = descriptor.minus + descriptor.length() + descriptor.plus;
  }
  return made;
}

std::vector<std::int64_t> Domain::shape(const std::vector<int>& staggered) const {
  std::vector<std::int64_t> lengths;
  for (const Descriptor& descriptor : descriptors(staggered)) lengths.push_back(descriptor.total_length);
  return lengths;
}

std::int64_t Domain::elements(const std::vector<int>& staggered) const {
  const std::vector<std::int64_t> lengths = shape(staggered);
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1}, std::multiplies());
}

Box Domain::interior() const {
  Box box;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    Direction down(dimensions(), 0);
    down[d] = -1;
    const std::int64_t below = grid_.neighbour(down) != MPI_PROC_NULL ? width_ : 0;
    const std::int64_t above = grid_.neighbour(opposite(down)) != MPI_PROC_NULL ? width_ : 0;
    const std::int64_t begin = width_ + below;
    box.push_back({begin, std::max(begin, width_ + cells_[d] - above)});
  }
  return box;
}

std::vector<Box> Domain::boundary() const {
  const Box inner = interior();
  std::vector<Box> boxes;
  Box rest;
  for (const std::int64_t length : cells_) rest.push_back({width_, width_ + length});
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::int64_t end = width_ + cells_[d];
    const std::int64_t begin = std::min(inner[d].begin, end);
    const std::int64_t inner_end = begin + inner[d].length();
    Box part = rest;
    part[d] = {width_, begin};
    if (part[d].length() > 0) boxes.push_back(part);
    part[d] = {inner_end, end};
    if (part[d].length() > 0) boxes.push_back(part);
    rest[d] = {begin, inner_end};
    if (rest[d].length() == 0) break;
  }
  return boxes;
}

}  // namespace typewarp::halo
