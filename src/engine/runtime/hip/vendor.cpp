// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/vendor.hpp"

namespace typewarp::gpu {

const Vendor& vendor() noexcept {
  static constexpr Vendor own{"HIP", "librccl.so.1", "MPIX_Query_rocm_support", 2, "rocm", 3};
  return own;
}

}  // namespace typewarp::gpu
