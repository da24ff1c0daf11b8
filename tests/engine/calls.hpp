// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace typewarp::test {

inline constexpr Stream no_stream = nullptr;

/// What the error says that `call` throws.
template <typename Thrown = InvalidArgument, typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "no such error";
}

/// 1, 2, 3, ...
inline std::vector<std::int32_t> counting(std::size_t count) {
  std::vector<std::int32_t> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

}  // namespace typewarp::test
