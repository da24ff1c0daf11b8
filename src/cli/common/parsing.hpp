// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <typewarp/error.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <string>
#include <vector>

namespace typewarp::cli {

/// Accepts a number for which `holds` is true.
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

/// Accepts a number that fits `Number` and is not negative.
template <typename Number>
CLI::Validator whole_number() {
  return number_that<Number>(
      [](Number value) { return value >= 0; },
      "a whole number from 0 to " + std::to_string(std::numeric_limits<Number>::max()));
}

/// The options with long names, including "--help".
inline std::vector<Option> options_of(const CLI::App& app) {
  std::vector<Option> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string value = option->get_type_size() == 0 ? "" : option->get_type_name();
      options.push_back({"--" + name, value, option->get_description()});
    }
  }
  return options;
}

/// Reads the options of a command. Returns false after printing help, if that was asked for. Throws
/// UsageError.
inline bool parsed(CLI::App& app, const Words& words) {
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& asked) {
    app.exit(asked);
    return false;
  } catch (const CLI::ExtrasError& error) {
    std::vector<std::string> names;
    for (const Option& option : options_of(app)) names.push_back(option.name);
    for (const std::string& word : app.remaining()) {
      const std::string meant = word.starts_with('-') ? suggestion(word, names) : "";
      if (!meant.empty()) throw UsageError("unknown option '" + word + "'" + meant);
    }
    throw UsageError(error.what());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return true;
}

/// The options that `declare` adds to the app of a subcommand.
template <typename Values>
std::vector<Option> listed(void (*declare)(CLI::App& app, Values& values)) {
  CLI::App app;
  Values values;
  declare(app, values);
  return options_of(app);
}

/// The value and the rule of an InvalidArgument, without the names of C++.
inline std::string rule_of(const InvalidArgument& error) {
  const std::string text = error.what(), argument = ": " + error.argument() + " = ";
  const std::size_t place = text.find(argument);
  return place == std::string::npos ? text : text.substr(place + argument.size());
}

}  // namespace typewarp::cli
