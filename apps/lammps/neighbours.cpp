// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace lammps {
namespace {

/// Cubes at least as wide as the reach, which cover a rank's part of the box and its ghosts.
class Bins {
 public:
  Bins(std::span<const double> x, const Domain& domain) : domain_(domain) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double width = domain.high[axis] - domain.low[axis] + 2 * reach;
      counts_[axis] = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / reach));
      widths_[axis] = width / static_cast<double>(counts_[axis]);
    }
    held_.resize(static_cast<std::size_t>(counts_[0] * counts_[1] * counts_[2]));
    for (std::size_t i = 0; i < x.size() / 3; ++i) {
      held_[index(place(x.subspan(3 * i, 3)))].push_back(static_cast<std::int32_t>(i));
    }
  }

  /// All atoms in the bin of a position and in those around it.
  template <typename Visit>
  void around(std::span<const double> x, Visit visit) const {
    const Grid at = place(x);
    const auto first = [&](std::size_t axis) { return std::max<std::int64_t>(at[axis] - 1, 0); };
    const auto last = [&](std::size_t axis) { return std::min(at[axis] + 1, counts_[axis] - 1); };
    for (std::int64_t i = first(0); i <= last(0); ++i) {
      for (std::int64_t j = first(1); j <= last(1); ++j) {
        for (std::int64_t k = first(2); k <= last(2); ++k) {
          std::ranges::for_each(held_[index({i, j, k})], visit);
        }
      }
    }
  }

 private:
  /// An atom may be a little outside.
  Grid place(std::span<const double> x) const {
    Grid at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double part = (x[axis] - domain_.low[axis] + reach) / widths_[axis];
      at[axis] = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(part)), 0, counts_[axis] - 1);
    }
    return at;
  }
  std::size_t index(const Grid& at) const {
    return static_cast<std::size_t>((at[0] * counts_[1] + at[1]) * counts_[2] + at[2]);
  }

  const Domain& domain_;
  Grid counts_{};
  Axes<double> widths_{};
  std::vector<std::vector<std::int32_t>> held_;
};

/// Of two atoms on different ranks, or of an atom and an image: whether the rank of the first computes the
/// pair. Both ranks decide alike, and each computes about half of the pairs.
bool computes(std::int64_t tag, std::int64_t other) { return (tag < other) == ((tag + other) % 2 == 0); }

double squared_distance(std::span<const double> x, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double apart = x[3 * i + axis] - x[3 * j + axis];
    sum += apart * apart;
  }
  return sum;
}

}  // namespace

Neighbours find_neighbours(std::span<const double> x, std::span<const std::int64_t> tags, std::int64_t owned,
                           const Domain& domain) {
  const Bins bins(x, domain);
  const auto is_owned = [owned](std::size_t i) { return static_cast<std::int64_t>(i) < owned; };
  const auto here = [&](std::size_t i, std::size_t j) {
    if (is_owned(i) && is_owned(j)) return true;
    if (is_owned(i)) return computes(tags[i], tags[j]);
    return is_owned(j) && computes(tags[j], tags[i]);
  };
  Neighbours found;
  found.first.push_back(0);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    bins.around(x.subspan(3 * i, 3), [&](std::int32_t other) {
      const auto j = static_cast<std::size_t>(other);
      if (i != j && here(i, j) && squared_distance(x, i, j) < reach * reach) {
        found.partner.push_back(other);
      }
    });
    found.first.push_back(std::ssize(found.partner));
  }
  return found;
}

}  // namespace lammps
