// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "datatype/checked.hpp"
#include "datatype/node.hpp"

/// How attributes follow from those of the children, in time proportional to the number of arguments. Every
/// constructor is a composition of these steps: repeat a block, shift it, append it to what came before,
/// finish. All throw InvalidArgument naming the argument that takes a quantity beyond 64 bits.
namespace typewarp::datatype {

/// `count` blocks, `stride` bytes apart. Elements need no check of their own: none is smaller than a byte.
Attributes repeated(const Attributes& block, std::int64_t count, std::int64_t stride,
                    const Argument& blame_count, const Argument& blame_stride);

Attributes shifted(const Attributes& block, std::int64_t bytes, const Argument& blame);

/// Blocks one after another in the packed stream, each where its bounds say.
class BlockSequence {
 public:
  /// `block` stands for at least one item; blocks of zero items are to be left out.
  void append(const Attributes& block, const Argument& blame_length, const Argument& blame_displacement);
  const Attributes& total() const noexcept { return total_; }

 private:
  Attributes total_;
  bool empty_ = true;
};

/// Turns what the steps above gave into the attributes of a type: no data means bounds of 0, and bounds that
/// were not set explicitly are padded so that the extent is a multiple of the strictest alignment.
Attributes finished(const Attributes& total, const Argument& blame);

/// Sets lb and ub explicitly, as resizing does.
Attributes bounded(const Attributes& child, std::int64_t lb, std::int64_t extent, const Argument& blame);

}  // namespace typewarp::datatype
