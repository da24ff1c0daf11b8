// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <variant>
#include <vector>

/// Command lines of the benchmarks that run on two ranks.
namespace typewarp::harness {

/// By name, where the value of an argument goes; a bool is a flag, and has none.
using Arguments = std::map<std::string, std::variant<bool*, std::int64_t*, double*, std::string*>>;

/// Numbers must not be negative. Throws Error that names the argument, with `usage` where it is unknown.
void parse(const Arguments& known, const std::vector<std::string>& given, const std::string& usage);

/// Throws Error for what is no regular expression.
std::regex compiled(const std::string& filter);

}  // namespace typewarp::harness
