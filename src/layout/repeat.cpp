// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "layout/repeat.hpp"

namespace typewarp::layout {

void check_repeat(std::string_view call, const Layout& child, std::int64_t count, std::int64_t stride) {
  if (count < 0) throw InvalidArgument(call, "count", count, "must not be negative");
  if (count == 0 || child.root->size == 0) return;
  std::int64_t size = 0;
  std::int64_t last = 0;
  std::int64_t bound = 0;
  if (__builtin_mul_overflow(count, child.root->size, &size) ||
      __builtin_mul_overflow(count - 1, stride, &last) || __builtin_add_overflow(last, child.offset, &last) ||
      __builtin_add_overflow(last, child.root->true_lb, &bound) ||
      __builtin_add_overflow(last, child.root->true_ub, &bound)) {
    throw InvalidArgument(call, "count", count, "the items span more than 64 bits of bytes");
  }
}

Layout make_repeat(const Layout& child, std::int64_t count, std::int64_t stride) {
  if (count == 0 || child.root->size == 0) return {};
  if (count == 1) return child;
  const std::int64_t bytes = run_bytes(*child.root);
  if (bytes >= 0 && bytes == stride) return {child.offset, run(count * bytes)};
  if (const auto* inner = std::get_if<Repeat>(&child.root->shape)) {
    if (continues(stride, inner->count, inner->stride)) {
      return make_repeat({child.offset, inner->child}, count * inner->count, inner->stride);
    }
  }
  return {child.offset, repeat(count, stride, child.root)};
}

}  // namespace typewarp::layout
