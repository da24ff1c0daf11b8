// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/environment.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace typewarp::test {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0') {
    throw std::invalid_argument(std::string(name) + " = " + text + ": must be a number");
  }
  return value;
}

std::uint64_t at_most_types(std::uint64_t usual) {
  return std::min(usual, from_environment("TYPEWARP_TEST_TYPES", usual));
}

}  // namespace typewarp::test
