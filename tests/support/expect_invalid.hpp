// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace typewarp::test {

/// Expects `call()` to throw InvalidArgument about `argument`, with exactly this text.
template <typename Call>
void expect_invalid(Call call, const std::string& argument, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), argument);
    EXPECT_EQ(error.what(), text);
  }
}

/// The same by the text alone, which is "<call>: <argument> = <value>: <rule>" behind "typewarp::".
template <typename Call>
void expect_invalid(Call call, const std::string& text) {
  const std::size_t argument = text.find(": ") + 2;
  expect_invalid(call, text.substr(argument, text.find(" = ") - argument), "typewarp::" + text);
}

/// The argument that `call()` refuses by InvalidArgument; "nothing" if it does not.
template <typename Call>
std::string invalid_argument(Call call) {
  try {
    call();
    return "nothing";
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
}

}  // namespace typewarp::test
