// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/streams.hpp"

#include "engine/cuda/cuda.hpp"

namespace typewarp::interpose {

void wait_for_stream() {
  constexpr int current_device = -1;
  if (cuda::in_use()) cuda::Event(current_device, stream()).wait();
}

}  // namespace typewarp::interpose
