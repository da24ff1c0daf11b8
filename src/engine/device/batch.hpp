// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/copy.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::gpu {

/// One user side whose packed bytes, all of them, lie at `packed`.
struct BatchMember {
  Side user;
  std::byte* packed;
  std::int64_t bytes;  ///< more than 0
};

/// Many packs or unpacks in one kernel, or in a few kernels. The members must live as long as the enqueued
/// work runs, and be addressable by `device`.
class BatchKernels {
 public:
  /// Whether what the kernels need is put into the device's memory, or travels with every launch.
  enum class Use { often, once };

  /// Allocates, and uploads what members that were never used on the device need; launches nothing.
  BatchKernels(const std::vector<BatchMember>& members, int device, Use use);
  BatchKernels& operator=(BatchKernels&&) = delete;
  ~BatchKernels();

  /// Enqueues under a context of the device; waits for nothing.
  void pack(const LaunchContext& context) const;
  void unpack(const LaunchContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Copies that one kernel makes, from any layout to any other.
class CopyBatch {
 public:
  /// Launch longer ones separately: they take longer than a launch, and other kernels may suit them better.
  static constexpr std::int64_t longest = std::int64_t{512} << 10;

  explicit CopyBatch(int device);
  CopyBatch& operator=(CopyBatch&&) = delete;
  ~CopyBatch();

  /// Adds the move of the first `bytes` bytes of the packed stream of both sides: 1 to `longest`. False, with
  /// nothing changed, if there is no room for more. Uploads what a plan that was never used on the device
  /// needs, and launches nothing; changes nothing if it throws. What the sides point to, plans included, must
  /// live as long as the enqueued work runs, and be addressable by the device.
  bool add(const Side& destination, const Side& source, std::int64_t bytes);
  /// Leaves out copy `number`, counted from 0 in the order of add().
  void remove(int number) noexcept;
  /// Copies that were added.
  int size() const noexcept;
  void clear() noexcept;

  /// Enqueues all under a context of the device, as copy() does.
  void launch(const LaunchContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
