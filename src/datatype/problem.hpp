// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

namespace typewarp {

/// What a rank tells the others of its failure, who wait for that: also where it has no memory for the text.
/// Never empty.
inline std::string problem_of(const std::exception& error) noexcept {
  try {
    const std::string text = error.what();
    return text.empty() ? "it failed" : text;
  } catch (const std::exception&) {
    return "no memory";  // short enough to take none
  }
}

}  // namespace typewarp
