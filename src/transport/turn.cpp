// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/turn.hpp"

#include "engine/cuda/cuda.hpp"

#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace typewarp::transport {
namespace {

/// How often CUDA is asked about a point that several messages wait for, each of which would ask: a question
/// takes 1.6 us (H200, virtual machine).
constexpr std::chrono::microseconds between_questions{1};

}  // namespace

struct Turn::Point {
  using Clock = std::chrono::steady_clock;

  Point(int device, Stream stream) : event(std::in_place, device, stream) {}

  bool ask(bool block, bool shared) {
    std::unique_lock lock(mutex, std::defer_lock);
    if (block) {
      lock.lock();
    } else if (!lock.try_lock()) {
      return false;  // another thread asks
    }
    if (event && !come(block, shared)) return false;
    event.reset();
    if (failure) std::rethrow_exception(failure);
    return true;
  }

  bool come(bool block, bool shared) {
    if (!block && shared && Clock::now() - asked < between_questions) return false;
    try {
      if (block) {
        event->wait();
      } else if (!event->done()) {
        asked = Clock::now();
        return false;
      }
    } catch (const CudaError&) {
      failure = std::current_exception();
    }
    return true;
  }

  std::mutex mutex;  ///< guards what follows
  std::optional<cuda::Event> event;
  std::exception_ptr failure;
  Clock::time_point asked{};
};

Turn::Turn(int device, Stream stream) {
  if (!cuda::idle(stream)) point_ = std::make_shared<Point>(device, stream);
}

bool Turn::reached(bool block) {
  if (!point_) return true;
  try {
    if (!point_->ask(block, point_.use_count() > 1)) return false;
  } catch (...) {
    point_.reset();
    throw;
  }
  point_.reset();
  return true;
}

}  // namespace typewarp::transport
