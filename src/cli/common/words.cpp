// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/words.hpp"

#include <algorithm>
#include <string_view>

namespace typewarp::cli {
namespace {

std::string quoted(const std::string& word) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text(1, '\'');
  for (const char c : word) {
    if (c == '\'') {
      text += "'\\''";
    } else {
      text += c;
    }
  }
  text += '\'';
  return text;
}

/// How many letters to change, add, leave out, or swap with the next one.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      std::size_t& least = steps[i][j] = i + j;
      if (i == 0 || j == 0) continue;
      least = std::min(
          {steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) least = std::min(least, steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 64;  // no name is
  const std::string start = word.substr(0, std::min(word.find('='), longest));
  const std::string* nearest = nullptr;
  std::size_t least = start.size() / 3;
  for (const std::string& name : names) {
    const bool begun = start.size() > 3 && name.starts_with(start);
    const std::size_t steps = begun ? 0 : distance(start, name);
    if (steps <= least && (nearest == nullptr || steps < least)) {
      nearest = &name;
      least = steps;
    }
  }
  return nearest == nullptr ? "" : "; did you mean '" + *nearest + "'?";
}

std::string without_calls(std::string text) {
  constexpr std::string_view prefix = "typewarp::";
  for (std::size_t place = text.find(prefix); place != std::string::npos; place = text.find(prefix, place)) {
    const std::size_t end = text.find_first_of(" '\n", place);
    const bool call = end != std::string::npos && text[end] == ' ' && text[end - 1] == ':';
    if (call) text.erase(place, end + 1 - place);
    place += call ? 0 : prefix.size();
  }
  return text;
}

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += quoted(word);
  }
  return line;
}

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace typewarp::cli
