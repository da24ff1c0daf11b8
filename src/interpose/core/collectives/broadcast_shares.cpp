// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/broadcast_shares.hpp"

#include "interpose/core/buffers/plans.hpp"
#include "transport/buffer/staging.hpp"

#include <algorithm>

namespace typewarp::interpose {
namespace {

/// Bytes of a share from which on a second step pays. From one of four H100: 4 MiB in all 62 us whole and 90
/// in shares, 16 MiB 160 and 158, 64 MiB 548 and 421, 256 MiB 2,094 and 1,490.
constexpr std::int64_t least_share = std::int64_t{8} << 20;

}  // namespace

bool is_dense(const Plan& plan) noexcept {
  constexpr std::int64_t several = 2;
  return transport::consecutive(plan, several) && plan.layout().offset == 0;
}

std::int64_t share_bytes(std::int64_t bytes, std::int64_t shares) noexcept {
  constexpr std::int64_t grain = std::int64_t{2048} * 9 * 5;
  const std::int64_t grains = (bytes + grain - 1) / grain;
  return (grains + shares - 1) / shares * grain;
}

bool BroadcastShares::pay(std::int64_t bytes, const Participants& ranks) noexcept {
  return ranks.all > 2 && bytes / (ranks.all - 1) >= least_share;
}

BlockPlace BroadcastShares::place(int share) const noexcept {
  const std::int64_t begin = std::min(share * own_share_bytes(), bytes_);
  const std::int64_t end = std::min(begin + own_share_bytes(), bytes_);
  return {(end - begin) / unit_, begin / unit_};
}

bool BroadcastShares::prepare() {
  const Plan& plan = plan_needed(side_.type);
  if (is_dense(plan)) {
    side_.type = MPI_BYTE;
  } else {
    unit_ = plan.size();
    if (own_share_bytes() % unit_ != 0) return false;
  }
  for (int share = 0; share < ranks_.all - 1; ++share) {
    const int rank = share_owner(share, root_);
    if (ranks_.is_root) {
      first_.send(rank, side_, place(share));
    } else if (rank == ranks_.own) {
      first_.receive(root_, side_, place(share));
      for (int other = 0; other < ranks_.all; ++other) {
        if (other != root_ && other != rank) second_.send(other, side_, place(share));
      }
    } else {
      second_.receive(rank, side_, place(share));
    }
  }
  return true;
}

std::exception_ptr BroadcastShares::make() noexcept {
  std::exception_ptr failure;
  for (BlockMessages* const step : {&first_, &second_}) {
    try {
      step->exchange();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  return failure;
}

}  // namespace typewarp::interpose
