// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace typewarp::test {

/// The number that an environment variable holds, `otherwise` if it is not set. Throws std::invalid_argument,
/// which names the variable, if it holds anything else.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

/// `usual` random cases, or as many as TYPEWARP_TEST_TYPES asks for if those are fewer: tools that watch
/// every access of a kernel slow it down 10 to 100 times.
std::uint64_t at_most_types(std::uint64_t usual);

/// `usual` repetitions of the same code, a tenth of them under AddressSanitizer.
constexpr int repetitions(int usual) {
#ifdef __SANITIZE_ADDRESS__
  return usual / 10;
#else
  return usual;
#endif
}

}  // namespace typewarp::test
