// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cases.hpp"
#include "harness/timing.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

/// What a CUDA programmer writes around an MPI that knows nothing of GPUs: the designs (a) and (b) of paper
/// 001.
namespace typewarp::pingpong {

using harness::Peers;
using harness::Way;

/// What hand-made messages are staged in: kept from one to the next, since pinned memory takes long to get.
struct HandMemory {
  std::int64_t bytes = 0;
  std::shared_ptr<std::byte> host_from, host_to;  ///< pinned
  std::shared_ptr<std::byte> device_from, device_to;
};

struct HandMade {
  std::string name;
  Way way;
};

/// Messages between device memory, in rows. Empty in a build without CUDA.
/// `memory` grows to what the message needs.
std::vector<HandMade> hand_made(const Peers& peers, const Pitched& rows, const std::byte* from, std::byte* to,
                                HandMemory& memory);

inline constexpr const char* blocking_2d = "memcpy2d_send";
inline constexpr const char* pipelined_2d = "memcpy2d_pipelined";

}  // namespace typewarp::pingpong
