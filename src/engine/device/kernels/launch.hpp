// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/device/kernels/span.hpp"
#include "engine/device/kernels/strategy.hpp"
#include "engine/device/layout/view.hpp"

namespace typewarp::gpu {

/// How a move is spread over a device: the numbers were measured on an H200 (docs/internals/measuring.md).
struct LaunchPolicy {
  int threads = 256;  ///< of one block
  /// Bytes that the threads of a multiprocessor load at a time, about, for OccupancyLimit::link: of regular
  /// layouts, in words of 8 bytes and more. Measured between two H100 (docs/internals/protocols.md,
  /// "Occupancy").
  int paced_bytes = 8192;
  /// What a thread of deep_words loads before it stores: enough to cover the latency of memory.
  int bytes_in_flight = 32;
  int words_in_flight = 4;
};
inline constexpr LaunchPolicy launch_policy;

/// Words that a thread loads before it stores, where it moves several.
TYPEWARP_HD constexpr int words_in_flight(int word_log2) {
  const int fit = launch_policy.bytes_in_flight >> word_log2;
  return fit > launch_policy.words_in_flight ? launch_policy.words_in_flight : fit > 1 ? fit : 1;
}

// Each enqueues one kernel on the context's device, which is current, and throws GpuError if that fails.
// Bytes `span` are moved; words are 1 << word_log2 bytes.

/// How a kernel runs.
struct Launch {
  const LaunchContext& context;
  KernelStrategy strategy = KernelStrategy::words;
  /// Bytes of shared memory of each block, for nothing but to have fewer at a time.
  std::size_t reserved = 0;
};

/// Between a layout and packed bytes; `packed` is where the span's origin lies or would lie. The span's units
/// are unit_bytes(), and lie at multiples of that in memory.
void launch_pack(const Launch& launch, std::byte* packed, View source, Lookup lookup, Span span,
                 int word_log2);
void launch_unpack(const Launch& launch, View destination, Lookup lookup, const std::byte* packed, Span span,
                   int word_log2);
/// Between two layouts. The span's units are words.
void launch_copy(const Launch& launch, View destination, Lookup destination_lookup, View source,
                 Lookup source_lookup, Span span, int word_log2);

}  // namespace typewarp::gpu
