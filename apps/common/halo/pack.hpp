// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/fields.hpp"

#include <cstdint>

namespace apps {

/// Strips of all fields to either side, of one size. Packed they follow each other, plane after plane.
struct Strips {
  Layout layout;
  Fields fields;
  Strip strips[2];

  std::int64_t numbers() const noexcept { return 2 * fields.planes() * strips[0].size.points(); }
  /// Where packed number i is in the fields.
  APPS_HOST_DEVICE double* at(std::int64_t i) const {
    const std::int64_t columns = strips[0].size.columns, cells = strips[0].size.rows * columns;
    const std::int64_t planes = fields.planes(), plane = i / cells, cell = i % cells;
    const int side = plane < planes ? 0 : 1;
    const Shape& start = strips[side].start;
    return fields.plane(plane - side * planes, layout) +
           layout.at(0, start.rows + cell / columns, start.columns + cell % columns);
  }
  /// Calls copy(place in a field, place in what is packed, numbers) for each row.
  template <typename Copy>
  void each_row(Copy copy) const {
    std::int64_t i = 0;
    for (const auto& [start, size] : strips) {
      for (std::int64_t plane = 0; plane < fields.planes(); ++plane) {
        double* const numbers = fields.plane(plane, layout);
        for (std::int64_t row = 0; row < size.rows; ++row, i += size.columns)
          copy(numbers + layout.at(0, start.rows + row, start.columns), i, size.columns);
      }
    }
  }
};

/// Packs one number of both strips: for a GPU, which so needs one launch.
struct Pack {
  Strips strips;
  double* packed;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { packed[i] = *strips.at(i); }
};

/// And back.
struct Unpack {
  Strips strips;
  const double* packed;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { *strips.at(i) = packed[i]; }
};

/// Copies one number to strips of ghosts from those at the other end of the same rank's cells.
struct Wrap {
  Strips from, to;
  std::int64_t half;  ///< the numbers of one strip

  /// Where the number is packed that goes to packed number i: what leaves at one side comes in at the other.
  APPS_HOST_DEVICE std::int64_t source(std::int64_t i) const { return i < half ? i + half : i - half; }
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { *to.at(i) = *from.at(source(i)); }
};

}  // namespace apps
