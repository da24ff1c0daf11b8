// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace typewarp::explanation {

/// A layout that a profile is measured of. Its datatype takes no memory until it is made.
struct TunedLayout {
  std::string name;  ///< an expression (expression.hpp), or words for one that is too long to write
  std::function<Datatype()> make;
};

/// Every kind of layout that the engine tells apart, in five sizes of 4 KiB to 64 MiB of data. Any first part
/// of it is a sensible set: all kinds of one size come before those of the next, 1 MiB first.
std::vector<TunedLayout> tuned_layouts();

}  // namespace typewarp::explanation
