// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/validate.hpp"

#include "stencil2d/initial.hpp"
#include "stencil2d/point.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace stencil2d {
namespace {

/// A field with a border of zeros, one point wide.
template <typename T>
class Bordered {
 public:
  explicit Bordered(apps::Shape shape)
      : columns_(shape.columns + 2), values_(static_cast<std::size_t>((shape.rows + 2) * columns_), T(0)) {}
  T& operator()(std::int64_t row, std::int64_t column) { return values_[index(row, column)]; }
  T operator()(std::int64_t row, std::int64_t column) const { return values_[index(row, column)]; }

 private:
  std::size_t index(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>((row + 1) * columns_ + column + 1);
  }
  std::int64_t columns_;
  std::vector<T> values_;
};

template <typename T>
void iterate(const Bordered<T>& from, Bordered<T>& to, apps::Shape shape) {
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t c = 0; c < shape.columns; ++c) {
      to(r, c) =
          stencil_point(from(r, c), from(r - 1, c), from(r + 1, c), from(r, c - 1), from(r, c + 1),
                        from(r - 1, c - 1), from(r - 1, c + 1), from(r + 1, c - 1), from(r + 1, c + 1));
    }
  }
}

}  // namespace

template <typename T>
std::vector<T> serial_run(apps::Shape global, std::int64_t iterations, apps::Progress& progress) {
  Bordered<T> now(global);
  Bordered<T> next(global);
  for (std::int64_t r = 0; r < global.rows; ++r) {
    for (std::int64_t c = 0; c < global.columns; ++c) {
      now(r, c) = static_cast<T>(initial_value(r, c, global));
    }
  }
  for (std::int64_t i = 0; i < iterations; ++i) {
    iterate(now, next, global);
    std::swap(now, next);
    progress.update(i + 1);
  }
  std::vector<T> result;
  result.reserve(static_cast<std::size_t>(global.points()));
  for (std::int64_t r = 0; r < global.rows; ++r) {
    for (std::int64_t c = 0; c < global.columns; ++c) {
      result.push_back(now(r, c));
    }
  }
  return result;
}

template <typename T>
Difference compare(const std::vector<T>& actual, const std::vector<T>& expected, apps::Shape global) {
  Difference difference;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      ++difference.not_finite;
      continue;
    }
    if (std::memcmp(&actual[i], &expected[i], sizeof(T)) == 0) {
      continue;
    }
    if (difference.points++ == 0) {
      const auto at = static_cast<std::int64_t>(i);
      difference.first = {at / global.columns, at % global.columns};
    }
    const double error = std::abs(static_cast<double>(actual[i]) - static_cast<double>(expected[i]));
    difference.largest = std::isfinite(error) ? std::max(difference.largest, error) : INFINITY;
  }
  return difference;
}

template std::vector<float> serial_run(apps::Shape, std::int64_t, apps::Progress&);
template std::vector<double> serial_run(apps::Shape, std::int64_t, apps::Progress&);
template Difference compare(const std::vector<float>&, const std::vector<float>&, apps::Shape);
template Difference compare(const std::vector<double>&, const std::vector<double>&, apps::Shape);

}  // namespace stencil2d
