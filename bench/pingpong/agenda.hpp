// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/buffers.hpp"
#include "cases.hpp"
#include "options.hpp"

/// Which rows there are, in the order in which they are run.
namespace typewarp::pingpong {

using harness::Pair;
using harness::Place;

/// A row to be measured.
struct Item {
  std::int64_t index;  ///< among all that this command line asks for
  const Case* which;   ///< null: the halo exchange, with `bytes` as its interior
  std::string method;
  Pair pair;
  std::int64_t bytes;
  int turn;  ///< those of a turn come before those of later ones

  std::string case_name() const;
  std::string text() const;
};

/// What can be measured here.
struct Means {
  bool devices;
  std::vector<std::string> protocols;
};

/// First the sizes that targets are set for, so that a run that ends early has those; last what takes longest
/// to verify.
std::vector<Item> agenda(const std::vector<Case>& cases, const Options& options, const Means& means);

}  // namespace typewarp::pingpong
