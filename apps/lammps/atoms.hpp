// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/lattice.hpp"
#include "lammps/place.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace lammps {

/// An array with a row of 64-bit words for each atom.
struct Column {
  std::byte* data;
  std::int64_t words;

  std::byte* row(std::int64_t i) const { return data + i * words * 8; }
};

/// The atoms of one rank: first its own, then the ghosts, which are atoms of its neighbours or images of its
/// own. What is enqueued on them is in the order of the place's stream.
class Atoms {
 public:
  /// Room for `capacity` atoms in all.
  Atoms(const Start& start, std::int64_t capacity, const Place& place);

  const Place& place() const noexcept { return place_; }
  std::int64_t owned() const noexcept { return owned_; }
  std::int64_t all() const noexcept { return all_; }
  /// From then on. Throws typewarp::Error if there is no room.
  void set_counts(std::int64_t owned, std::int64_t all);

  double* x() const { return number(x_); }
  double* v() const { return number(v_); }
  double* f() const { return number(f_); }
  double* energy() const { return number(energy_); }
  const std::int64_t* tags() const { return reinterpret_cast<const std::int64_t*>(tag_.data()); }

  Column positions() const { return {x_.data(), 3}; }
  Column velocities() const { return {v_.data(), 3}; }
  Column forces() const { return {f_.data(), 3}; }
  Column tag_column() const { return {tag_.data(), 1}; }

  /// Arrays of positions, velocities and tags that take the place of those in use when swap_spares() is
  /// called.
  Column spare_positions() const { return {spare_x_.data(), 3}; }
  Column spare_velocities() const { return {spare_v_.data(), 3}; }
  Column spare_tags() const { return {spare_tag_.data(), 1}; }
  void swap_spares();

  /// Room for forces that come back from the ghosts of other ranks, those of one axis at a time.
  Column back() const { return {back_.data(), 3}; }

  /// All of them. Which array is in use changes with swap_spares().
  std::vector<Column> columns() const {
    return {positions(),        velocities(), tag_column(), spare_positions(),
            spare_velocities(), spare_tags(), forces(),     back()};
  }
  /// Rows of each.
  std::int64_t capacity() const noexcept { return capacity_; }

 private:
  static double* number(const apps::Buffer& buffer) { return reinterpret_cast<double*>(buffer.data()); }

  const Place& place_;
  std::int64_t capacity_;
  std::int64_t owned_ = 0, all_ = 0;
  apps::Buffer x_, v_, f_, energy_, tag_;
  apps::Buffer spare_x_, spare_v_, spare_tag_;
  apps::Buffer back_;
};

/// How many atoms, ghosts included, a rank of `domain` needs room for.
std::int64_t capacity_for(const Domain& domain);

}  // namespace lammps
