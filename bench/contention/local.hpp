// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pair.hpp"

#include <cuda_runtime_api.h>

#include <memory>

/// A side that this process runs.
namespace typewarp::contention {

/// Work on a stream of its own, between two events.
class Local : public Side {
 public:
  /// What the stream is given.
  using Work = std::function<void(cudaStream_t)>;

  explicit Local(bool highest_priority = false);
  void assign(Work work) { work_ = std::move(work); }

  void enqueue() override;
  bool is_done() override;
  Interval interval() const override;

  friend double both_us(const Local& a, const Local& b);
  friend double behind_us(const Local& first, const Local& second);

 private:
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<CUevent_st> begin_, end_;
  Work work_;
  Interval interval_;
};
/// From the begin of the first to the end of the last, by events.
double both_us(const Local& a, const Local& b);
/// From when `second` was enqueued, behind `first`, until it was done. Its own first event does not tell: it
/// is passed only when an engine is free for its stream.
double behind_us(const Local& first, const Local& second);

}  // namespace typewarp::contention
