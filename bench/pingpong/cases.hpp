// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The types that are sent, each in any size. Both sides of a message have the same one.
namespace typewarp::pingpong {

/// The same as rows of cudaMemcpy2D; in bytes, from `offset` on.
struct Pitched {
  std::int64_t width, height, pitch;
  std::int64_t offset = 0;
};

struct Problem {
  Datatype type;
  std::int64_t count = 1;
  std::optional<Pitched> pitched = std::nullopt;
};

struct Case {
  std::string name;
  /// From the bytes of data wanted, a power of two; where the type cannot make just those, it makes the
  /// nearest that are less.
  std::function<Problem(std::int64_t)> make;
  std::int64_t least, most;   ///< bytes of data that it is measured with
  std::int64_t most_on_host;  ///< the same in host memory
};

std::vector<Case> cases();
inline constexpr const char* contiguous_case = "contiguous";

}  // namespace typewarp::pingpong
