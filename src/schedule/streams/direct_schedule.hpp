// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/group.hpp"

#include <typewarp/exchange.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace typewarp::exchange {

/// A schedule of ranks of one host whose every part a GPU stores where it belongs, to be executed as often as
/// asked. Nothing travels by an MPI, and no thread is needed. All of its parts must stay where they are as
/// long as it lives.
class DirectSchedule {
 public:
  /// Collective. Null in all ranks where some part cannot go that way, or several of them use one device:
  /// there kernels must not wait for each other. Throws Error on all ranks where some rank fails or peers
  /// disagree.
  static std::unique_ptr<DirectSchedule> of(ExchangeGroup& group, std::span<const OutgoingPart> sends,
                                            std::span<const IncomingPart> receives);
  DirectSchedule& operator=(DirectSchedule&&) = delete;
  ~DirectSchedule();

  /// That has the parts of this rank; -1: it has none, and then a start does nothing.
  int device() const noexcept { return device_; }
  /// Packed bytes that this rank receives.
  std::int64_t bytes() const noexcept { return bytes_; }
  /// Enqueues one execution on a stream of the device. Throws GpuError; then the stream may hold a part of
  /// it, which ends only when it is released.
  void start(Stream stream);
  /// Whether all starts have ended at this rank.
  bool done() const noexcept;
  /// Throws GpuError for a device that has failed.
  void check_device() const;
  /// Peers are late or gone: streams go on, and what they still hold moves nothing. To be called until
  /// done(). Throws GpuError.
  void release();
  /// Gives up the memory that peers may still write to, for good. It must not be started again.
  void abandon() noexcept;

 private:
  struct State;
  DirectSchedule(int device, std::int64_t bytes, std::unique_ptr<State> state) noexcept;

  int device_;
  std::int64_t bytes_;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::exchange
