// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/stream.hpp"
#include "engine/gpu/cuda/runtime/device.hpp"

namespace typewarp::gpu {

OwnStream::OwnStream(int device_id) {
  const DeviceGuard guard(device_id);
  cudaStream_t stream = nullptr;
  TYPEWARP_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest_priority()));
  stream_ = stream;
}

OwnStream::~OwnStream() {
  if (stream_ != nullptr) ignore(cudaStreamDestroy(stream_));
}

}  // namespace typewarp::gpu
