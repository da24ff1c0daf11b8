// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/vendor.hpp"

namespace typewarp::gpu {

// Nobody asks about GPUs; if anybody did, it would be as where CUDA is built in.
const Vendor& vendor() noexcept {
  static constexpr Vendor own{"none", "libnccl.so.2", "MPIX_Query_cuda_support", 0, "cuda", 1};
  return own;
}

}  // namespace typewarp::gpu
