// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agenda.hpp"
#include "halo_exchange.hpp"
#include "harness/rows.hpp"

#include <map>

/// Runs an agenda on two ranks. Rank 0 prints.
namespace typewarp::pingpong {

class Runner {
 public:
  /// Collective.
  Runner(const harness::Start& start, const Options& options, std::vector<Item> items);
  ~Runner();

  /// The number of rows with wrong bytes. Whatever else goes wrong is thrown.
  int run();

 private:
  /// One message, or one halo exchange, as the checks and the baselines see it.
  struct Subject;

  std::shared_ptr<Subject> subject(const Item& item);
  void allocate();
  void use_protocol(const std::string& method);
  std::function<void()> round_of(const Item& item, const Subject& subject);
  std::string verify(const Subject& subject, Pair pair, const std::function<void()>& round);
  void measure_row(const Item& item);
  void measure_copy(const Item& item);
  double launches_of(const std::function<void()>& round) const;
  void print_rates();

  Peers peers_;
  int gpus_;
  std::int64_t time_limit_ms_;
  std::vector<Item> items_;
  harness::Rows rows_;
  harness::Buffers buffers_;
  HandMemory hand_memory_;
  std::shared_ptr<CUstream_st> stream_;
  std::unique_ptr<Session> session_;
  std::string protocol_;  ///< of the transport, or the last one that there was none for
  std::string unusable_;  ///< why there is none
  std::map<std::string, std::shared_ptr<Subject>> subjects_;
  double copy_bytes_per_us_ = 0;
  std::uint64_t seed_ = 0;
};

}  // namespace typewarp::pingpong
