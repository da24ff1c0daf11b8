// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace apps {

/// Rows and columns: of a field (points), of a process grid (ranks), or a position in either.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t points() const noexcept { return rows * columns; }
};

}  // namespace apps
