// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/arguments.hpp"

#include <algorithm>

using namespace typewarp;
using namespace typewarp::capi;

namespace {

/// Gathers bytes of different lengths with a function that gathers equal lengths.
class Gatherer {
 public:
  Gatherer(int size, tw_all_gather all_gather, void* argument)
      : size_(static_cast<std::size_t>(size)), all_gather_(all_gather), argument_(argument) {}

  std::vector<std::vector<std::byte>> operator()(std::span<const std::byte> own) const {
    const std::int64_t length = std::ssize(own);
    std::vector<std::int64_t> lengths(size_);
    call(&length, sizeof length, lengths.data());
    const auto [least, most] = std::ranges::minmax(lengths);
    if (least < 0) throw Error("tw_all_gather: stored other bytes than were given");
    std::vector<std::byte> padded(own.begin(), own.end()), all(size_ * static_cast<std::size_t>(most));
    padded.resize(static_cast<std::size_t>(most));
    if (most > 0) call(padded.data(), most, all.data());
    std::vector<std::vector<std::byte>> gathered;
    auto one = all.begin();
    for (const std::int64_t bytes : lengths) {
      gathered.emplace_back(one, one + bytes);
      one += most;
    }
    return gathered;
  }

 private:
  void call(const void* own, std::int64_t bytes, void* all) const {
    const int failed = all_gather_(own, bytes, all, argument_);
    if (failed != 0) throw Error("tw_all_gather: returned " + std::to_string(failed));
  }

  std::size_t size_;
  tw_all_gather all_gather_;
  void* argument_;
};

}  // namespace

tw_result tw_ranks_create(int rank, int size, tw_all_gather all_gather, void* argument, tw_ranks** ranks) {
  return create(__func__, ranks, [&](const char* call) {
    if (all_gather == nullptr) require(nullptr, call, "all_gather");
    return Ranks(rank, size, Gatherer(size, all_gather, argument));
  });
}

void tw_ranks_free(tw_ranks* ranks) { delete ranks; }
