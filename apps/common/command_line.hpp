// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/leave.hpp"
#include "common/progress.hpp"
#include "common/shape.hpp"

#include <typewarp/engine.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the command lines of the programs have in common. Every wrong value is reported with its option and
/// the rule that it breaks.
namespace apps {

/// Throws what makes parse() leave.
[[noreturn]] void reject(const std::string& option, const std::string& value, const std::string& rule);

/// The whole of `text` as a decimal number from `least` to `most`.
std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t least, std::int64_t most);

/// `parts` numbers of at least 1, with `separator` between them, or a single one for all where `one_for_all`.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text, char separator,
                                        std::size_t parts, std::int64_t most, bool one_for_all);

/// --grid, of `ranks`, and --size, of the `points` of each rank, whose sides are at most `most`.
void add_shapes(CLI::App& app, std::optional<Shape>& ranks, Shape& size, const std::string& points,
                std::int64_t most);

/// An option for a number whose default is what `value` holds.
void add_number(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t least,
                std::int64_t most, const std::string& help);

/// One for some numbers with commas between.
void add_numbers(CLI::App& app, const std::string& name, std::vector<std::int64_t>& values,
                 std::int64_t least, std::int64_t most, const std::string& help);

template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& help) {
  std::string listed;
  for (const auto& choice : choices) {
    listed += (listed.empty() ? "" : "|") + choice.first;
  }
  const auto pick = [&value, name, choices, listed](const std::string& text) {
    for (const auto& [key, chosen] : choices) {
      if (key == text) {
        value = chosen;
        return;
      }
    }
    reject(name, text, "must be one of " + listed);
  };
  return app.add_option_function<std::string>(name, pick, help)->type_name(listed);
}

/// --memory: where `what` is.
void add_memory(CLI::App& app, std::optional<typewarp::MemoryKind>& memory, const std::string& what);
/// --picture: writes `what`.
void add_picture(CLI::App& app, std::string& picture, const std::string& what);
/// --progress.
void add_progress(CLI::App& app, ProgressStyle& style);

/// Reads the command line, then calls `check`, which may reject() what options that go together hold. Depends
/// on nothing else, so all ranks come to the same end. Nothing if the program is to go on.
std::optional<Leave> parse(CLI::App& app, int argc, const char* const* argv,
                           const std::function<void()>& check);

}  // namespace apps
