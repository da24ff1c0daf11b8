// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/gpu/gpu.hpp"

#include <typewarp/error.hpp>

namespace hacc::gpu {

void gather_members(const MemberTable&, std::uint32_t*, typewarp::Stream) {
  throw typewarp::Error("this build has no CUDA");
}

void scatter_members(const MemberTable&, const std::uint32_t*, typewarp::Stream) {
  throw typewarp::Error("this build has no CUDA");
}

}  // namespace hacc::gpu
