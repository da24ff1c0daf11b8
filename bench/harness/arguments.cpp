// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "arguments.hpp"

#include <typewarp/error.hpp>

#include <charconv>

namespace typewarp::harness {
namespace {

template <typename Number>
Number number(const std::string& name, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw Error(name + " " + text + ": must be a number that is not negative");
}

}  // namespace

void parse(const Arguments& known, const std::vector<std::string>& given, const std::string& usage) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i];
    const auto target = known.find(name);
    if (target == known.end()) throw Error(name + ": no such option\n" + usage);
    if (auto* const flag = std::get_if<bool*>(&target->second)) {
      **flag = true;
      continue;
    }
    if (++i == given.size()) throw Error(name + ": needs a value");
    if (auto* const whole = std::get_if<std::int64_t*>(&target->second)) {
      **whole = number<std::int64_t>(name, given[i]);
    } else if (auto* const real = std::get_if<double*>(&target->second)) {
      **real = number<double>(name, given[i]);
    } else {
      *std::get<std::string*>(target->second) = given[i];
    }
  }
}

std::regex compiled(const std::string& filter) {
  try {
    return std::regex(filter);
  } catch (const std::regex_error& error) {
    throw Error("--filter " + filter + ": not a regular expression: " + error.what());
  }
}

}  // namespace typewarp::harness
