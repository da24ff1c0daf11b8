// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/calculus.hpp"

#include "datatype/signature.hpp"

#include <algorithm>

namespace typewarp::datatype {

namespace {

constexpr std::string_view size_name = "the size in bytes";
constexpr std::string_view bounds_name = "a bound in bytes";
constexpr std::string_view extent_name = "the extent in bytes";

/// Moves lower bounds by `low` and upper bounds by `high` bytes.
void widen(Attributes& attributes, std::int64_t low, std::int64_t high, const Argument& blame) {
  attributes.lb = checked_add(attributes.lb, low, blame, bounds_name);
  attributes.ub = checked_add(attributes.ub, high, blame, bounds_name);
  if (attributes.size == 0) return;
  attributes.true_lb = checked_add(attributes.true_lb, low, blame, bounds_name);
  attributes.true_ub = checked_add(attributes.true_ub, high, blame, bounds_name);
}

void check_extents(const Attributes& attributes, const Argument& blame) {
  checked_subtract(attributes.ub, attributes.lb, blame, extent_name);
  checked_subtract(attributes.true_ub, attributes.true_lb, blame, extent_name);
}

}  // namespace

Attributes repeated(const Attributes& block, std::int64_t count, std::int64_t stride,
                    const Argument& blame_count, const Argument& blame_stride) {
  if (count == 0) return {};
  if (count == 1) return block;
  Attributes result = block;
  result.size = checked_multiply(block.size, count, blame_count, size_name);
  const std::int64_t last = checked_multiply(count - 1, stride, blame_stride, bounds_name);
  widen(result, std::min<std::int64_t>(last, 0), std::max<std::int64_t>(last, 0), blame_stride);
  result.signature = repeated(block.signature, count);
  result.elements = result.signature.elements;
  result.dense = block.dense && (block.size == 0 || stride == block.size);
  return result;
}

Attributes shifted(const Attributes& block, std::int64_t bytes, const Argument& blame) {
  Attributes result = block;
  widen(result, bytes, bytes, blame);
  return result;
}

void BlockSequence::append(const Attributes& block, const Argument& blame_length,
                           const Argument& blame_displacement) {
  if (empty_) {
    total_ = block;
    empty_ = false;
    return;
  }
  // MPI 5.0, section 5.1.6: as soon as one marker occurs, markers alone decide. Open MPI does so; MPICH
  // takes the minimum and maximum of all, whether marked or not.
  if (block.explicit_bounds == total_.explicit_bounds) {
    total_.lb = std::min(total_.lb, block.lb);
    total_.ub = std::max(total_.ub, block.ub);
  } else if (block.explicit_bounds) {
    total_.lb = block.lb;
    total_.ub = block.ub;
    total_.explicit_bounds = true;
  }
  if (block.size == 0) return;

  const bool first_data = total_.size == 0;
  total_.dense = block.dense && (first_data || (total_.dense && block.true_lb == total_.true_ub));
  total_.true_lb = first_data ? block.true_lb : std::min(total_.true_lb, block.true_lb);
  total_.true_ub = first_data ? block.true_ub : std::max(total_.true_ub, block.true_ub);
  total_.size = checked_add(total_.size, block.size, blame_length, size_name);
  total_.signature = concatenated(total_.signature, block.signature);
  total_.elements = total_.signature.elements;
  total_.alignment = std::max(total_.alignment, block.alignment);
  check_extents(total_, blame_displacement);
}

Attributes finished(const Attributes& total, const Argument& blame) {
  if (total.size == 0) return {};
  Attributes result = total;
  check_extents(result, blame);
  if (!result.explicit_bounds) {
    // MPI 5.0, section 5.1, defines this padding, the least that will do, for every type map. Open MPI adds
    // some to every type, at times more than the least; MPICH only to structs.
    const std::int64_t beyond = (result.ub - result.lb) % result.alignment;
    if (beyond != 0) result.ub = checked_add(result.ub, result.alignment - beyond, blame, bounds_name);
    check_extents(result, blame);
  }
  return result;
}

Attributes bounded(const Attributes& child, std::int64_t lb, std::int64_t extent, const Argument& blame) {
  Attributes result = child;
  result.lb = lb;
  result.ub = checked_add(lb, extent, blame, bounds_name);
  result.explicit_bounds = true;
  return result;
}

}  // namespace typewarp::datatype
