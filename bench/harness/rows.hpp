// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "options.hpp"
#include "timing.hpp"

#include "json.hpp"

#include <typewarp/error.hpp>

#include <iostream>

/// The rows of a benchmark: which are run, for how long, and what is printed of them. bench/parts.py reads
/// it.
namespace typewarp::harness {

using bench::JsonObject;

/// One line on standard output, at once.
void print(const JsonObject& object);
/// The times of a sample, in microseconds.
JsonObject& add(JsonObject& row, const Sample& sample);

/// The two ranks of a program, and the GPUs that they use: none, one that they share, or one each.
struct Start {
  Peers peers;
  int gpus = 0;
};
/// Collective. Throws Error unless there are two ranks.
Start start(const Options& options);
/// The first line of what rank 0 prints: the MPI, and the number of GPUs.
void announce(const Start& start);

/// Those of `all` that the options ask for. Throws Error if the filter matches none.
template <typename Item>
std::vector<Item> asked_for(std::vector<Item> all, const Options& options) {
  if (all.empty()) throw Error("--filter " + options.filter + ": matches no row");
  std::erase_if(all, [&](const Item& item) { return item.index < options.from; });
  return all;
}

/// Rank 0 prints the text of each row.
template <typename Item>
void list(const std::vector<Item>& items, const Peers& peers) {
  if (peers.rank != 0) return;
  for (const Item& item : items) std::cout << item.text() << '\n';
}

/// Runs rows one after the other within the time of the options.
class Rows {
 public:
  Rows(const Peers& peers, const Options& options);

  /// What the row that runs now is measured for: its share of the time that is left, less what verifying and
  /// setting up take.
  double seconds_for_a_row() const;
  /// The row `described` moved wrong bytes, of which `complaint` tells.
  void fail(JsonObject described, const std::string& complaint);

  /// Collective. Calls `measure(item)` for each item until the time is over. The number of rows that failed.
  template <typename Item, typename Describe, typename Measure>
  int run(const std::vector<Item>& items, Describe described, Measure measure) {
    left_ = items.size();
    for (const Item& item : items) {
      if (time_is_over()) {
        if (talks()) print(described(item).add("stopped", "the time was over"));
        break;
      }
      if (talks()) print(JsonObject().add("begin", described(item)));
      measure(item);
      --left_;
    }
    if (talks()) print(JsonObject().add("finished", std::int64_t{failed_}));
    return failed_;
  }

 private:
  bool talks() const noexcept { return peers_.rank == 0; }
  bool time_is_over() const;

  Peers peers_;
  double seconds_, row_seconds_;
  double begin_;
  std::size_t left_ = 0;
  int failed_ = 0;
};

}  // namespace typewarp::harness
