// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/cuda/layout/strided.hpp"

namespace typewarp::gpu {

std::int64_t Strided::grain() const noexcept {
  std::int64_t bits = 16 | levels[0].count;
  for (std::size_t i = 1; i < depth; ++i) bits |= levels[i].stride;
  return bits & -bits;
}

bool Strided::add(Level level) {
  if (depth == capacity) return false;
  levels[depth++] = level;
  return true;
}

bool Strided::extend(Level level) {
  if (depth == 0) return false;
  Level& outer = levels[depth - 1];
  std::int64_t span = 0;
  std::int64_t count = 0;
  if (__builtin_mul_overflow(outer.count, outer.stride, &span) || span != level.stride ||
      __builtin_mul_overflow(outer.count, level.count, &count)) {
    return false;
  }
  outer.count = count;
  return true;
}

}  // namespace typewarp::gpu
