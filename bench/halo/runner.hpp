// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "floor.hpp"
#include "timing.hpp"
#include "way.hpp"

#include "json.hpp"

#include <typewarp/transport.hpp>

#include <optional>

/// Runs an agenda on two ranks. Rank 0 prints.
namespace typewarp::halo_bench {

class Runner {
 public:
  /// Collective. The ranks use so many GPUs: none, one that they share, or two.
  Runner(const Peers& peers, Options options, std::vector<Item> items, int gpus);

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
  pingpong::Sample sample(const std::function<void()>& round, double seconds) const;
  double seconds_for_a_row() const;

  Peers peers_;
  Options options_;
  std::vector<Item> items_;
  int gpus_;
  double begin_;
  std::size_t done_ = 0;
  std::shared_ptr<CUstream_st> stream_;
  Limits limits_;
  std::optional<Transport> transport_;
  std::string subject_is_;  ///< which one that is
  std::unique_ptr<Subject> subject_;
  int wrong_ = 0;
};

}  // namespace typewarp::halo_bench
