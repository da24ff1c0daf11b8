// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/sweep.hpp"

#include "stencil2d/point.hpp"

namespace stencil2d {
namespace {

/// Pointers to the first point of the row; `out` overlaps none of the others, which lets the loop vectorise.
template <typename T>
void sweep_row(const T* above, const T* here, const T* below, T* __restrict out, std::int64_t points) {
  for (std::int64_t i = 0; i < points; ++i) {
    out[i] = stencil_point(here[i], above[i], below[i], here[i - 1], here[i + 1], above[i - 1], above[i + 1],
                           below[i - 1], below[i + 1]);
  }
}

}  // namespace

template <typename T>
void sweep(const T* from, T* to, std::int64_t pitch, Region region) {
  for (std::int64_t row = region.row_begin; row < region.row_end; ++row) {
    const T* here = from + row * pitch + region.column_begin;
    sweep_row(here - pitch, here, here + pitch, to + row * pitch + region.column_begin,
              region.column_end - region.column_begin);
  }
}

template void sweep(const float*, float*, std::int64_t, Region);
template void sweep(const double*, double*, std::int64_t, Region);

}  // namespace stencil2d
