// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/buffer/stream_point.hpp"

#include "engine/device/gpu.hpp"
#include "transport/mpi/wait_loop.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace typewarp::transport {
namespace {

/// The least time between two queries of a point that several messages wait for: a query takes 1.6 us (H200,
/// virtual machine).
constexpr std::chrono::microseconds between_questions{1};

}  // namespace

struct StreamPoint::Point {
  using Clock = std::chrono::steady_clock;

  Point(int device, Stream stream) : event_(std::in_place, device, stream) {}

  bool ask(bool shared) {
    if (!come.load(std::memory_order_acquire)) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (!lock || !ask_device(shared)) return false;  // or another thread asks
    }
    if (failure) std::rethrow_exception(failure);
    return true;
  }

  std::atomic<bool> come = false;
  std::exception_ptr failure;  ///< constant once it has come

 private:
  bool ask_device(bool shared) {
    if (!event_) return true;  // since `come` was looked at
    if (shared && Clock::now() - asked_ < between_questions) return false;
    try {
      if (!event_->done()) {
        asked_ = Clock::now();
        return false;
      }
    } catch (const GpuError&) {
      failure = std::current_exception();
    }
    event_.reset();
    come.store(true, std::memory_order_release);
    return true;
  }

  std::mutex mutex_;  ///< guards what follows
  std::optional<gpu::Event> event_;
  Clock::time_point asked_;
};

StreamPoint::StreamPoint(int device, Stream stream) {
  if (!gpu::idle(stream)) point_ = std::make_shared<Point>(device, stream);
}

bool StreamPoint::reached(bool block) {
  if (!point_) return true;
  try {
    const auto come = [&] { return point_->ask(point_.use_count() > 1); };
    if (!block && !come()) return false;
    if (block) wait_until(come, yield_each_time);  // no lock is held in between
  } catch (...) {
    point_.reset();
    throw;
  }
  point_.reset();
  return true;
}

}  // namespace typewarp::transport
