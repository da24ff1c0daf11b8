// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/engine.hpp>

#include <array>

int main() {
  const std::array<double, 6> matrix = {0, 1, 2, 3, 4, 5};
  std::array<double, 2> column{};
  const typewarp::Plan plan = typewarp::commit(typewarp::vector(2, 1, 3, typewarp::Named::double_));
  typewarp::pack(&matrix[1], 1, plan, column.data(), nullptr);
  return column == std::array<double, 2>{1, 4} ? 0 : 1;
}
