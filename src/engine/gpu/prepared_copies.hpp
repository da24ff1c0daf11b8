// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/copy.hpp"
#include "engine/gpu/flags.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::gpu {

/// The move of all bytes, `bytes` > 0, of the packed stream of both sides.
struct CopyMember {
  Side destination, source;
  std::int64_t bytes;
};

/// Copies from any layout to any other that are made again and again: of any length and number, in one
/// kernel, or one for each some 200 copies or gibibyte. What they need lies in the device's memory.
class PreparedCopies {
 public:
  /// Allocates and uploads; launches nothing. Nothing is moved by launches that find `gate` raised. What the
  /// sides point to, plans too, must live as long as what is enqueued runs, and be addressable by the device.
  PreparedCopies(const std::vector<CopyMember>& members, int device, const Flag* gate);
  PreparedCopies(const PreparedCopies&) = delete;
  PreparedCopies& operator=(const PreparedCopies&) = delete;
  ~PreparedCopies();

  /// Enqueues all under a context of the device; waits for nothing, and allocates nothing. Throws GpuError.
  void launch(const LaunchContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace typewarp::gpu
