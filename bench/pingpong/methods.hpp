// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "by_hand.hpp"

#include <typewarp/p2p.hpp>
#include <typewarp/session.hpp>

#include <memory>
#include <optional>

/// The ways to send a message that are compared.
namespace typewarp::pingpong {

/// A message of this rank's, and where what the other one sends is to lie.
struct Exchange {
  const std::byte* from;
  std::byte* to;
  std::int64_t count;
  const Plan& plan;
};

/// A datatype of the MPI, committed, and freed with its last owner.
using MpiType = std::shared_ptr<const MPI_Datatype>;
MpiType encoded(const Datatype& type);

/// By the library, with whatever protocols it uses now.
Way by_library(const Peers& peers, const Exchange& exchange, Stream stream);
/// By the MPI's own send of the same derived datatype.
Way by_mpi(const Peers& peers, const Exchange& exchange);

inline constexpr const char* mpi_method = "mpi";
/// The MPI is given device memory: only for one that can take it.
inline constexpr const char* mpi_device_method = "mpi_device";

/// No message at all: cudaMemcpyPeer of contiguous bytes, or cudaMemcpy where both ranks share a GPU.
inline constexpr const char* copy_method = "memcpy";

/// The protocols of this build, `automatic` first.
std::vector<std::string> protocols();
/// Nothing if the build has no such protocol.
std::optional<SessionOptions> options_for(const std::string& protocol);

}  // namespace typewarp::pingpong
