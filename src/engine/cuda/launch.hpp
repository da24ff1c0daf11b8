// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/views.hpp"

#include <typewarp/plan.hpp>

#include <cuda_runtime_api.h>

namespace typewarp::cuda {

/// How a move is spread over a device.
struct LaunchPolicy {
  int threads = 256;                  ///< of one block
  int blocks_per_multiprocessor = 8;  ///< at most; threads then take further words, a grid apart
};

/// What to move, and where it runs.
struct Move {
  ByteRange range;     ///< of the packed stream; may begin and end inside a word
  std::int64_t total;  ///< bytes of the longer of the two streams
  int word;            ///< bytes: 1, 2, 4, 8 or 16
  int multiprocessors;
  cudaStream_t stream;
};

struct StridedSide {
  std::byte* base;
  Strided shape;
};

/// 10 * major + minor of the oldest device that the compiled kernels run on.
int lowest_compute_capability() noexcept;

// Loads all kernels of one kind onto the current device. CUDA would load each at its first launch, and wait
// there for the whole device.
void load_pack();
void load_unpack();
void load_copy();

// Each enqueues one kernel on the current device, and throws CudaError if that fails.

void launch_pack(const Move& move, const ContiguousView& packed, const StridedSide& source);
void launch_pack(const Move& move, const ContiguousView& packed, const GenericView& source);

void launch_unpack(const Move& move, const StridedSide& destination, const ContiguousView& packed);
void launch_unpack(const Move& move, const GenericView& destination, const ContiguousView& packed);

void launch_copy(const Move& move, const StridedSide& destination, const StridedSide& source);
void launch_copy(const Move& move, const GenericView& destination, const GenericView& source);

}  // namespace typewarp::cuda
