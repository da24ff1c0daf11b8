// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/function_ref.hpp"

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What was counted, as named numbers under headings, of one rank or of several.
namespace typewarp::interpose {

/// A number of several ranks, one at least. Those that do not have it have 0.
struct Total {
  std::int64_t sum;
  std::int64_t least;
  std::int64_t most;
  int ranks;  ///< that have it
};

class Summary {
 public:
  /// A number of this rank; nothing if it is 0.
  void add(const std::string& heading, const std::string& label, std::int64_t value);
  /// The numbers of other ranks.
  void add(const Summary& others);

  /// A line for each heading, in the order in which they came: "heading: label number, label number".
  /// Of more than one rank with sum, least and most: "label 30 (10 to 12)".
  std::string text(const std::string& prefix, int ranks) const;

  /// For the way to another rank, which reads it.
  std::string packed() const;
  static Summary unpacked(const std::string& text);

 private:
  using Labels = std::vector<std::pair<std::string, Total>>;
  void add(const std::string& heading, const std::string& label, const Total& total);

  std::vector<std::pair<std::string, Labels>> lines_;
  std::map<std::string, std::size_t> places_;  ///< of headings
};

/// That of all ranks, each of which gives its own(), in rank 0; in others their own. Collective over `comm`.
/// Where a rank lacks the memory, or own() throws, rank 0 throws too, and nobody waits. Throws MpiError.
Summary merged(FunctionRef<Summary()> own, MPI_Comm comm);

}  // namespace typewarp::interpose
