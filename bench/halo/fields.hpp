// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agenda.hpp"
#include "cube.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/halo_field.hpp>

/// The arrays of an exchange, and how their bytes are checked.
namespace typewarp::halo_bench {

class Fields {
 public:
  Fields(Place place, const Cube& cube, std::int64_t count, Stream stream);

  Place place() const noexcept { return place_; }
  const Cube& cube() const noexcept { return cube_; }
  std::int64_t count() const noexcept { return count_; }
  double* data(std::int64_t field) const;
  /// From one array to the next.
  std::int64_t field_bytes() const noexcept;
  std::int64_t bytes() const noexcept { return count_ * field_bytes(); }
  /// As the library wants them.
  std::vector<halo::Field> described() const;

  /// Gives owned cells values that are new each time, and halos one that none of these is.
  void fill();
  /// Cells that do not hold what an exchange since fill() should have left there.
  std::int64_t wrong() const;
  /// Computes a stencil of these cells, with so many rounds of arithmetic each, from the first array to
  /// `next`, which has as many.
  void compute(const Span3& cells, double* next, int rounds) const;
  /// All cells of `next` become untouched.
  void clear(double* next) const;
  /// Cells that do not hold what compute() of these should have left in `next` since clear().
  std::int64_t wrong(const Span3& cells, double* next, int rounds) const;

 private:
  template <typename Cells>
  std::int64_t count(const Cells& cells) const;

  Place place_;
  Cube cube_;
  std::int64_t count_;
  Stream stream_;
  std::shared_ptr<std::byte> memory_;
  std::int64_t number_ = 0;  ///< of fills
};

}  // namespace typewarp::halo_bench
