// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

namespace typewarp::cli {
namespace {

/// A number may be negative.
bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

[[noreturn]] void refuse(const std::string& word, const std::vector<Option>& options, OptionsStand where) {
  std::vector<std::string> all{"--help"};
  for (const Option& one : options) all.push_back(one.name);
  throw UsageError("unknown option '" + word + "'" + suggestion(word, all) +
                   (where == OptionsStand::in_front ? " (the command follows '--')" : ""));
}

std::string needed(const Option& option) {
  return option.value == "FILE" ? "the name of a file" : option.value == "N" ? "a number" : option.value;
}

}  // namespace

ReadWords read_options(const Words& words, const std::vector<Option>& options, OptionsStand where,
                       const std::function<void(const std::string& option, const std::string& value)>& take) {
  ReadWords read;
  std::size_t i = 0;
  for (; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!is_option(word)) {
      if (where == OptionsStand::in_front) break;
      read.rest.push_back(word);
      continue;
    }
    if (word == "--help" || word == "-h") {
      read.help = true;
      continue;
    }
    const std::size_t equals = word.find('=');
    const auto option = std::ranges::find(options, word.substr(0, equals), &Option::name);
    if (option == options.end()) refuse(word, options, where);
    if (option->value.empty() && equals != std::string::npos) refuse(word, options, where);
    if (option->value.empty()) {
      take(option->name, "");
    } else if (equals != std::string::npos) {
      take(option->name, word.substr(equals + 1));
    } else {
      const bool has_value =
          i + 1 < words.size() && !words[i + 1].empty() && words[i + 1] != "--" && !is_option(words[i + 1]);
      if (!has_value) throw UsageError(word + ": needs " + needed(*option));
      take(option->name, words[++i]);
    }
  }
  if (i < words.size() && words[i] == "--") ++i;
  read.rest.insert(read.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return read;
}

std::string described(const std::vector<Option>& options) {
  const auto name_of = [](const Option& option) {
    return option.name + (option.value.empty() ? "" : " " + option.value);
  };
  std::size_t column = 15;
  for (const Option& option : options) column = std::max(column, name_of(option).size() + 1);
  std::string text;
  for (const Option& option : options) {
    std::string name = name_of(option);
    name.resize(column, ' ');
    text.append("  ").append(name).append(option.about).append("\n");
  }
  return text;
}

std::int64_t whole_number(const std::string& option, const std::string& value, std::int64_t least) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stopped == end && number >= least) return number;
  throw UsageError(option + ": '" + value + "': must be a whole number from " + std::to_string(least) +
                   " to " + std::to_string(std::numeric_limits<std::int64_t>::max()));
}

}  // namespace typewarp::cli
