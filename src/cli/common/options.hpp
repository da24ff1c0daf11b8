// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"

#include <cstdint>
#include <functional>

namespace typewarp::cli {

/// Where options stand: all before the first word that is none, or anywhere before "--".
enum class OptionsStand { in_front, anywhere };

struct ReadWords {
  bool help = false;  ///< "--help" is among them
  Words rest;         ///< what is no option
};

/// Passes each option, with its value, to `take`. Throws UsageError for one that is not of `options`, or
/// lacks its value.
ReadWords read_options(const Words& words, const std::vector<Option>& options, OptionsStand where,
                       const std::function<void(const std::string& option, const std::string& value)>& take);
/// The lines of help for these options.
std::string described(const std::vector<Option>& options);
/// The value of `option`. Throws UsageError for anything but a number from `least` on.
std::int64_t whole_number(const std::string& option, const std::string& value, std::int64_t least);

}  // namespace typewarp::cli
