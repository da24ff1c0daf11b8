// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "harness/buffers.hpp"
#include "harness/timing.hpp"

#include <typewarp/session.hpp>

#include <map>
#include <string>

namespace typewarp::tune {

/// Lines of a machine's profile.
using Numbers = std::map<std::string, double>;
std::string text(const Numbers& numbers);

/// Messages between two ranks, timed with whatever numbers are to be tried. All calls are collective, and
/// return the same in both.
class Trials {
 public:
  /// Messages of up to `most` bytes between memory of the devices in use, or of the hosts; each timed for
  /// `seconds`.
  Trials(const harness::Peers& peers, harness::Place place, std::int64_t most, double seconds);
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  /// Leaves no profile to this process.
  ~Trials();

  /// Microseconds of half a round trip of `bytes` bytes, in blocks of `block` with seven times that between
  /// them.
  double time(std::int64_t bytes, std::int64_t block, const SessionOptions& options,
              const Numbers& profile = {});
  bool possible(Protocol protocol);
  /// In how many fragments a message goes direct.
  double fragments(std::int64_t bytes, const Numbers& profile);
  /// Throws InvalidArgument for numbers that the library does not take.
  void check(const Numbers& profile);
  std::int64_t most() const noexcept { return most_; }

 private:
  void use(const Numbers& profile) const;

  harness::Peers peers_;
  harness::Pair pair_;
  std::int64_t most_;
  double seconds_;
  std::string file_;
  harness::Buffers buffers_;
  std::shared_ptr<CUstream_st> stream_;
};

}  // namespace typewarp::tune
