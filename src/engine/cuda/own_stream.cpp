// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device.hpp"

namespace typewarp::cuda {

OwnStream::OwnStream(int device_id) {
  const DeviceGuard guard(device_id);
  TYPEWARP_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest_priority()));
}

OwnStream::~OwnStream() {
  if (stream_ != nullptr) ignore(cudaStreamDestroy(stream_));
}

}  // namespace typewarp::cuda
