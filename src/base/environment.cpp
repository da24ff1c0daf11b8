// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

extern "C" char** environ;  // POSIX

namespace typewarp::environment {
namespace {

constexpr std::string_view prefix = "TYPEWARP_";

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

/// How many characters differ: to be added, left out or changed. Small letters are as large ones.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (upper(a[i]) == upper(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string unknown(std::string_view name) {
  const auto far = [name](const Variable& variable) { return distance(name, variable.name); };
  const auto nearest = std::ranges::min_element(variables, {}, far);
  std::string text(name);
  text.append(" is no variable of Typewarp");
  constexpr std::size_t near = 4;
  if (far(*nearest) <= near) text.append(": did you mean ").append(nearest->name).append("?");
  return text;
}

/// Which of the words it is.
std::optional<std::size_t> place_in(std::string_view words, std::string_view value) {
  constexpr std::string_view between = ", ";
  std::size_t place = 0;
  for (std::size_t begin = 0; begin < words.size(); ++place) {
    const std::size_t end = std::min(words.find(between, begin), words.size());
    if (words.substr(begin, end - begin) == value) return place;
    begin = end + between.size();
  }
  return std::nullopt;
}

std::string_view words_of(const Variable& variable) {
  return variable.form == VariableForm::flag ? "0, 1" : variable.words;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The rule that a value breaks.
std::optional<std::string> broken(const Variable& variable, std::string_view value) {
  if (value.empty() || variable.form == VariableForm::text) return std::nullopt;
  if (variable.form == VariableForm::library) {
    const bool is_file = value.find('/') != std::string_view::npos;
    if (!is_file || std::ifstream(std::string(value)).is_open()) return std::nullopt;
    return "the name of a library, or a file that can be read";
  }
  if (variable.form != VariableForm::number) {
    if (place_in(words_of(variable), value)) return std::nullopt;
    return std::string("one of ").append(words_of(variable));
  }
  const std::optional<std::int64_t> number = number_in(value);
  if (number && *number >= variable.least && *number <= variable.most) return std::nullopt;
  const std::string rule = "a number from " + std::to_string(variable.least);
  const bool is_open = variable.most == std::numeric_limits<std::int64_t>::max();
  return is_open ? rule + " on" : rule + " to " + std::to_string(variable.most);
}

/// The value of a variable that breaks no rule; empty where it is not set.
std::string_view checked(std::string_view call, const Variable& variable) {
  const std::string_view value = text(variable.name.data());
  if (const auto rule = broken(variable, value))
    throw InvalidArgument(call, variable.name, value, "must be " + *rule);
  return value;
}

const Variable& variable_of(std::string_view name) {
  return *std::ranges::find(variables, name, &Variable::name);
}

}  // namespace

const char* value(const char* name) noexcept { return std::getenv(name); }

std::string_view text(const char* name) noexcept {
  const char* const given = value(name);
  return given != nullptr ? given : "";
}

bool is_set(const char* name) noexcept { return text(name) == "1"; }

std::optional<std::int64_t> number(std::string_view call, std::string_view name) {
  return number_in(checked(call, variable_of(name)));
}

std::optional<std::size_t> word(std::string_view call, std::string_view name) {
  const Variable& variable = variable_of(name);
  return place_in(words_of(variable), checked(call, variable));
}

std::optional<std::string> fault(std::string_view name, std::string_view value) {
  if (!name.starts_with(prefix) || name.starts_with(of_tests)) return std::nullopt;
  const auto variable = std::ranges::find(variables, name, &Variable::name);
  if (variable == variables.end()) return unknown(name);
  const std::optional<std::string> rule = broken(*variable, value);
  if (!rule) return std::nullopt;
  return std::string(name).append("=").append(value).append(": must be ").append(*rule);
}

void tell_faults(bool speaks) noexcept try {
  static std::atomic<bool> told{false};
  if (told.exchange(true) || !speaks) return;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(prefix) || equals == std::string_view::npos) continue;
    if (const auto wrong = fault(text.substr(0, equals), text.substr(equals + 1)))
      std::fprintf(stderr, "typewarp: %s\n", wrong->c_str());
  }
} catch (const std::exception&) {
  return;  // without memory the program has other things to say
}

}  // namespace typewarp::environment
