// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

/// Datatypes as people write them.
namespace typewarp {

/// The text is not a datatype. what() is one line that names the column, what is there, and what is
/// expected.
class ExpressionError : public Error {
 public:
  ExpressionError(std::int64_t column, const std::string& text);

  /// Of the first wrong character, counted from 1.
  std::int64_t column() const noexcept { return column_; }

 private:
  std::int64_t column_;
};

/// The datatype of an expression: a named type (`double`, `int`, `MPI_DOUBLE`, ...) or a constructor with
/// its arguments in the order of datatype.hpp, which may be named: `vector(1024, 1, stride=512, double)`,
/// `struct([1, 1], [0, 8], [double, int])`, `subarray([64, 64], [8, 8], [0, 0], c, double)`. A named
/// argument may be anywhere; those without a name fill the remaining places from left to right. Lists are
/// `[a, b, ...]`; `[a] * n` repeats one, and `range(begin, end, step)` is a list. Numbers may be sums and
/// products, and may end in Ki, Mi or Gi. Throws ExpressionError, also for arguments that the constructor
/// refuses.
Datatype datatype_of(std::string_view expression);

}  // namespace typewarp
