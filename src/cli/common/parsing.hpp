// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace typewarp::cli {

/// What an option takes, checked before it is read: `holds` is given the number, if the text is one.
template <typename Number, typename Holds>
CLI::Validator number_that(Holds holds, const std::string& rule) {
  const auto wrong = [=](const std::string& text) -> std::string {
    Number value{};
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && stopped == end && holds(value)) return {};
    return "'" + text + "': must be " + rule;
  };
  return {wrong, "NUMBER"};
}

inline CLI::Validator seconds_between(int least, int most) {
  return number_that<double>([=](double value) { return value >= least && value <= most; },
                             "a number from " + std::to_string(least) + " to " + std::to_string(most));
}
/// That fits `Number`, and is not negative.
template <typename Number>
CLI::Validator whole_number() {
  return number_that<Number>(
      [](Number value) { return value >= 0; },
      "a whole number from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
}

/// Reads the options of a command. False where help was asked for, which is printed then. Throws UsageError.
inline bool parsed(CLI::App& app, const Words& words) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& asked) {
    app.exit(asked);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return true;
}

}  // namespace typewarp::cli
