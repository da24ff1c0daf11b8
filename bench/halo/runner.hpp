// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "floor.hpp"
#include "harness/rows.hpp"
#include "way.hpp"

#include <typewarp/session.hpp>

#include <optional>

/// Runs an agenda on two ranks. Rank 0 prints.
namespace typewarp::halo_bench {

class Runner {
 public:
  /// Collective.
  Runner(const harness::Start& start, const Options& options, std::vector<Item> items);

  /// The number of rows with wrong bytes. Whatever else goes wrong is thrown.
  int run();

 private:
  void print_rates();
  void use_transport(bool used);
  const Subject& subject(const Item& item);
  bool is_wrong(const Item& item, int exchanges, const std::function<void()>& exchange,
                const std::function<std::int64_t()>& wrong_cells);
  void measure_row(const Item& item);
  void measure_overlap(const Item& item);
  void add_floors(bench::JsonObject& row, const Item& item, double exchange_us) const;
  double launches_on_wire(const Way& way) const;
  bench::JsonObject launches_of(const Way& way) const;
  harness::Sample sample(const std::function<void()>& round, double seconds) const;

  Peers peers_;
  int gpus_;
  std::vector<Item> items_;
  harness::Rows rows_;
  std::shared_ptr<CUstream_st> stream_;
  Limits limits_;
  std::optional<Session> session_;
  std::string subject_is_;  ///< which one that is
  std::unique_ptr<Subject> subject_;
};

}  // namespace typewarp::halo_bench
