// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/random_case.hpp"

#include "support/random.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace typewarp::test {
namespace {

constexpr std::size_t most_process_dimensions = 4;
constexpr std::size_t most_dimensions = 5;
constexpr std::int64_t most_elements = 4000;  ///< owned by a process

halo::ProcessGrid random_grid(MPI_Comm comm, Random& random) {
  const auto dimensions = static_cast<std::size_t>(random.range(1, most_process_dimensions));
  std::vector<bool> periodic;
  for (std::size_t d = 0; d < dimensions; ++d) periodic.push_back(random.one_in(2));
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> sizes(dimensions, 0);
  MPI_Dims_create(ranks, static_cast<int>(dimensions), sizes.data());
  random.shuffle(sizes);
  return {comm, sizes, periodic};
}

Datatype random_element(Random& random) {
  switch (random.range(0, 5)) {
    case 0:
      return Named::int_;
    case 1:
      return Named::double_;
    case 2:
      return contiguous(3, Named::double_);
    case 3:
      return structure({1, 1}, {0, 8}, {Named::int_, Named::double_});
    case 4:
      return Named::float_;
    default:
      return contiguous(random.range(1, 17), Named::byte);
  }
}

/// Each dimension of the grid at most once, and some that are not divided.
std::vector<int> random_along(const halo::ProcessGrid& grid, Random& random) {
  std::vector<int> along(grid.dimensions());
  std::iota(along.begin(), along.end(), 0);
  if (along.size() > 1 && random.one_in(6)) along.erase(along.begin() + random.range(0, 1));
  while (along.size() < most_dimensions && random.one_in(4)) along.push_back(halo::Field::undivided);
  random.shuffle(along);
  return along;
}

Axis random_axis(const halo::ProcessGrid& grid, int along, std::int64_t longest, Random& random) {
  Axis axis{{}, random.range(0, 3), random.range(0, 3), random.range(0, 2), random.range(0, 2), along};
  const int processes = along < 0 ? 1 : grid.sizes()[static_cast<std::size_t>(along)];
  const std::int64_t least = std::max<std::int64_t>({1, axis.minus, axis.plus});
  for (int i = 0; i < processes; ++i) axis.lengths.push_back(random.range(least, std::max(least, longest)));
  return axis;
}

/// `own` differs between processes.
halo::Storage random_storage(const std::vector<Axis>& axes, Random& own) {
  std::vector<int> map(axes.size());
  std::iota(map.begin(), map.end(), 0);
  own.shuffle(map);
  std::vector<std::int64_t> padding(axes.size());
  for (std::int64_t& elements : padding) elements = own.range(0, 2);
  return halo::Storage::permuted(map, padding);
}

/// The directions of a random set, in any order.
std::vector<halo::Direction> random_sides(std::size_t dimensions, Random& random) {
  std::vector<halo::Direction> sides;
  for (const halo::Direction& side : halo::all_directions(dimensions)) {
    if (random.one_in(2)) sides.push_back(side);
  }
  random.shuffle(sides);
  return sides;
}

/// `own` is of each process.
halo::Options random_options(std::size_t dimensions, Random& random, Random& own) {
  halo::Options options;
  const bool alike = random.one_in(2);
  options.packing = static_cast<halo::Packing>((alike ? random : own).range(0, 2));
  options.buffers = static_cast<halo::Buffers>(random.range(0, 2));
  options.poison = random.one_in(4);
  if (random.one_in(3)) options.sides = random_sides(dimensions, random);
  return options;
}

}  // namespace

RandomCase::RandomCase(MPI_Comm comm, std::uint64_t seed)
    : grid([&] {
        Random random(seed);
        return random_grid(comm, random);
      }()) {
  Random random(~seed);
  Random own(seed * 64 + static_cast<std::uint64_t>(grid.rank()));
  for (std::int64_t f = random.range(1, 3); f > 0; --f) {
    Whole field{random_element(random), {}, {}};
    std::int64_t elements = most_elements;
    for (const int along : random_along(grid, random)) {
      field.axes.push_back(random_axis(grid, along, std::min<std::int64_t>(elements, 7), random));
      elements /= std::ranges::max(field.axes.back().lengths);
    }
    field.storage = random_storage(field.axes, own);
    fields.push_back(field);
  }
  options = random_options(grid.dimensions(), random, own);
  width = random.one_in(3) ? random.range(0, 2) : halo::full_width;
}

std::string RandomCase::text() const {
  std::ostringstream out;
  out << "grid";
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    out << " " << grid.sizes()[d] << (grid.periodic()[d] ? "p" : "");
  }
  out << ", packing " << halo::name(options.packing) << ", sides " << options.sides.size() << ", poison "
      << options.poison << ", width " << width;
  for (const Whole& field : fields) {
    out << ", field of " << field.element.size() << " bytes:";
    for (const Axis& axis : field.axes) {
      out << " " << axis.minus << "|" << axis.lengths.front() << "|" << axis.plus << " along " << axis.along;
    }
  }
  return out.str();
}

}  // namespace typewarp::test
