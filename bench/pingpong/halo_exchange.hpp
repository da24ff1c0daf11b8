// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "methods.hpp"

/// A halo exchange with all 26 neighbours, each of which is the other rank: 208 messages each way at once.
namespace typewarp::pingpong {

inline constexpr const char* halo_case = "halo-26x8";
inline constexpr std::int64_t halo_fields = 8;

/// Of all messages that a rank sends.
std::int64_t halo_bytes(std::int64_t interior);

struct Halo {
  explicit Halo(std::int64_t interior);

  Datatype sent, received;                           ///< all that one rank does, as one type
  std::vector<Plan> sent_regions, received_regions;  ///< of one field
  std::int64_t field_bytes;
};

/// Posts all receives and sends, and waits for them.
std::function<void()> exchange_by_library(const Peers& peers, const Halo& halo, const std::byte* from,
                                          std::byte* to, Stream stream);
std::function<void()> exchange_by_mpi(const Peers& peers, const Halo& halo, const std::byte* from,
                                      std::byte* to);

}  // namespace typewarp::pingpong
