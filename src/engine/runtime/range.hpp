// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::gpu {

/// A span of time of the calling thread that profilers show under a name: a range of NVTX, for as long as
/// this lives. Costs a few nanoseconds where no profiler is attached. In a build without GPUs it is nothing.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name) noexcept;
  ProfilerRange& operator=(ProfilerRange&&) = delete;
  ~ProfilerRange();
};

}  // namespace typewarp::gpu
