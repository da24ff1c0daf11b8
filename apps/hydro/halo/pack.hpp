// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hydro/domain.hpp"

#include <cstdint>

namespace hydro {

/// Strips of all variables to either side, of one size. Packed they follow each other, variable after
/// variable.
struct Strips {
  Layout layout;
  Strip strips[2];

  std::int64_t numbers() const noexcept { return 2 * strips[0].numbers(); }
  /// Where packed number i is in the arrays.
  APPS_HOST_DEVICE std::int64_t at(std::int64_t i) const {
    const std::int64_t columns = strips[0].size.columns, cells = strips[0].size.rows * columns;
    const int side = i < variables * cells ? 0 : 1;
    const std::int64_t number = i - side * variables * cells, cell = number % cells;
    const apps::Shape& start = strips[side].start;
    return layout.at(static_cast<int>(number / cells), start.rows + cell / columns,
                     start.columns + cell % columns);
  }
  /// Calls copy(place in the arrays, place in what is packed, numbers) for each row.
  template <typename Copy>
  void each_row(Copy copy) const {
    std::int64_t i = 0;
    for (const auto& [start, size] : strips) {
      for (int k = 0; k < variables; ++k) {
        for (std::int64_t row = 0; row < size.rows; ++row, i += size.columns)
          copy(layout.at(k, start.rows + row, start.columns), i, size.columns);
      }
    }
  }
};

/// Packs one number of both strips: for a GPU, which so needs one launch.
struct Pack {
  Strips strips;
  const double* arrays;
  double* packed;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { packed[i] = arrays[strips.at(i)]; }
};

/// And back.
struct Unpack {
  Strips strips;
  const double* packed;
  double* arrays;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { arrays[strips.at(i)] = packed[i]; }
};

}  // namespace hydro
