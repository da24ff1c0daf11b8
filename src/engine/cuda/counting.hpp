// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/span.hpp"

#include <cstddef>
#include <utility>

namespace typewarp::cuda {

/// Offers a tally of a device to what the calling thread launches there, for a scope, outside of graphs: the
/// first kernel that can count takes it. Another device may not reach it.
class Counting {
 public:
  Counting(int device, Tally tally) noexcept
      : device_(device), tally_(tally), outer_(std::exchange(current_, this)) {}
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { current_ = outer_; }

  /// The tally, for a kernel that is launched on `device` next; a null one if there is none.
  static Tally take(int device) noexcept {
    if (current_ == nullptr || current_->taker_ > 0 || current_->device_ != device) return {};
    current_->taker_ = current_->launches_ + 1;
    return current_->tally_;
  }
  /// Something has been launched, be it a kernel or DMA.
  static void launched() noexcept {
    if (current_ != nullptr) ++current_->launches_;
  }

  /// Whether something that counts has been launched, and whether it was the last.
  bool counted() const noexcept { return taker_ > 0 && launches_ >= taker_; }
  bool last() const noexcept { return counted() && taker_ == launches_; }

 private:
  inline static thread_local Counting* current_ = nullptr;

  int device_;
  Tally tally_;
  Counting* outer_;
  std::size_t launches_ = 0;
  std::size_t taker_ = 0;  ///< number of the launch that the tally is for, from 1 on
};

}  // namespace typewarp::cuda
