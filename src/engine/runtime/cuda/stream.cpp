// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/stream.hpp"

#include "engine/runtime/cuda/launcher.hpp"
#include "engine/runtime/device_resources.hpp"

namespace typewarp::gpu {

bool is_legacy(Stream stream) noexcept { return stream == nullptr || stream == cudaStreamLegacy; }

int stream_device(Stream stream) {
  if (is_legacy(stream) || stream == cudaStreamPerThread) return -1;
  if (device_count() == 1) return 0;
  int id = 0;
  if (capturing(stream)) {
    TYPEWARP_CUDA(cudaGetDevice(&id));
  } else {
    TYPEWARP_CUDA(cudaStreamGetDevice(stream, &id));
  }
  return id;
}

bool idle(Stream stream) {
  // Streams that stand behind others, which are not asked; and one that is another on each device.
  if (is_legacy(stream) || stream == cudaStreamPerThread) return false;
  unsigned flags = 0;
  TYPEWARP_CUDA(cudaStreamGetFlags(stream, &flags));
  if ((flags & cudaStreamNonBlocking) == 0) return false;
  return came(cudaStreamQuery(stream), "cudaStreamQuery(stream)");
}

void check_alive(int id) {
  const RelaxedCapture relaxed;
  static_cast<void>(came(cudaStreamQuery(device(id).private_stream()), "cudaStreamQuery(stream)"));
}

bool capturing(Stream stream) {
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  TYPEWARP_CUDA(cudaStreamIsCapturing(stream, &capture));
  return capture != cudaStreamCaptureStatusNone;
}

Stream private_stream(int id, StreamRole role, Priority priority) {
  if (priority == Priority::automatic) priority = Hints::of_environment().priority;
  const bool usual = priority == Priority::low || priority == Priority::normal;
  return device(id).private_stream(role, usual || role == StreamRole::preparation);
}

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
