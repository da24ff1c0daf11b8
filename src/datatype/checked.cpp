// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/checked.hpp"

#include <typewarp/error.hpp>

namespace typewarp::datatype {

std::string Argument::text() const {
  std::string text(name);
  if (index >= 0) text.append("[").append(std::to_string(index)).append("]");
  return text;
}

void throw_beyond_64_bits(const Argument& argument, std::string_view quantity) {
  throw_invalid(argument, std::string(quantity) + " exceeds 64 bits");
}

void throw_invalid(const Argument& argument, std::string_view rule) {
  throw InvalidArgument(argument.call, argument.text(), argument.value, rule);
}

void require_not_negative(const Argument& argument) {
  if (argument.value < 0) throw_invalid(argument, "must not be negative");
}

}  // namespace typewarp::datatype
