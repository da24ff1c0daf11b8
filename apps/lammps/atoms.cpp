// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/atoms.hpp"

#include <typewarp/error.hpp>

#include <cmath>
#include <utility>

namespace lammps {
namespace {

constexpr std::int64_t word = 8;

}  // namespace

Atoms::Atoms(const Start& start, std::int64_t capacity, const Place& place)
    : place_(place),
      capacity_(capacity),
      x_(place.kind(), 3 * word * capacity),
      v_(place.kind(), 3 * word * capacity),
      f_(place.kind(), 3 * word * capacity),
      energy_(place.kind(), word * capacity),
      tag_(place.kind(), word * capacity),
      spare_x_(place.kind(), 3 * word * capacity),
      spare_v_(place.kind(), 3 * word * capacity),
      spare_tag_(place.kind(), word * capacity),
      back_(place.kind(), 3 * word * capacity) {
  const std::int64_t count = std::ssize(start.tags);
  set_counts(count, count);
  place.copy(x_.data(), start.x.data(), 3 * word * count);
  place.copy(v_.data(), start.v.data(), 3 * word * count);
  place.copy(tag_.data(), start.tags.data(), word * count);
  place.synchronize();
}

void Atoms::set_counts(std::int64_t owned, std::int64_t all) {
  if (all > capacity_) {
    throw typewarp::Error("a rank has " + std::to_string(all) + " atoms and ghosts, and room for " +
                          std::to_string(capacity_));
  }
  owned_ = owned;
  all_ = all;
}

void Atoms::swap_spares() {
  std::swap(x_, spare_x_);
  std::swap(v_, spare_v_);
  std::swap(tag_, spare_tag_);
}

std::int64_t capacity_for(const Domain& domain) {
  constexpr double reserve = 1.5;  // a liquid's density varies little
  constexpr double at_least = 1000;
  double volume = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    volume *= domain.high[axis] - domain.low[axis] + 2 * reach;
  }
  return std::llround(reserve * volume * density + at_least);
}

}  // namespace lammps
