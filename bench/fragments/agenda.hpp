// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/buffers.hpp"
#include "harness/rows.hpp"

/// Which rows there are, in the order in which they are run.
namespace typewarp::fragments {

using harness::Pair;
using harness::Place;

/// The stages that a fragment passes, one row each, and messages in such fragments.
enum class Method : std::uint8_t { pack, carry, unpack, pipelined, direct };
const char* name(Method method) noexcept;

/// A row to be measured.
struct Item {
  std::int64_t index;  ///< among all that this command line asks for
  Method method;
  Place place;  ///< of the user's data
  std::int64_t bytes, fragment;
  bool built_in = false;  ///< cut as the library cuts without being told

  /// "method/memory/bytes/fragment"
  std::string text() const;
};

struct Options : harness::Options {
  std::int64_t most = std::int64_t{256} << 20;  ///< bytes of data
};
/// Throws Error that names the argument.
Options parse(const std::vector<std::string>& arguments);

/// Stages first: messages are compared with them.
std::vector<Item> agenda(const Options& options, int gpus);

/// What is sent: as many blocks of 8 bytes at strides of 64 as it takes.
Datatype blocks(std::int64_t bytes);

}  // namespace typewarp::fragments
