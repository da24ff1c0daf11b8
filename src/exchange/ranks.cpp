// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/ranks.hpp>

#include "exchange/gathered_group.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp {
namespace {

constexpr std::string_view call = "typewarp::Ranks";

}  // namespace

Ranks::Ranks(int rank, int size, AllGather all_gather) {
  if (size < 1) throw InvalidArgument(call, "size", size, "must be positive");
  if (rank < 0 || rank >= size)
    throw InvalidArgument(call, "rank", rank, "must be one of " + std::to_string(size));
  if (!all_gather) throw InvalidArgument(call, "all_gather", "empty", "must be a function");
  make_ = [rank, size, all_gather = std::move(all_gather)] {
    return std::make_unique<exchange::GatheredGroup>(rank, size, all_gather);
  };
}

std::unique_ptr<exchange::Group> Ranks::group() const { return make_(); }

}  // namespace typewarp
