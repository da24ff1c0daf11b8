// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/cuda/device.hpp"
#include "engine/cuda/views.hpp"
#include "plan/state.hpp"

namespace typewarp::cuda {

/// The part of a plan's encoding that does not travel with a launch, in the memory of one device: the
/// lookaside buffer, and the nodes if they are more than GenericView::capacity. Uploaded once, complete on
/// return of the constructor, so that kernels of any stream may read it. Retired, not freed, on destruction:
/// kernels may be in flight.
class DeviceEncoding final : public plan::Attachment {
 public:
  DeviceEncoding(const plan::Encoding& encoding, Device& device);

  /// Null if they travel with the launch.
  const plan::Node* nodes() const noexcept;
  const std::byte* lookaside() const noexcept { return memory_.data() + node_bytes_; }

 private:
  std::size_t node_bytes_;  ///< at the start of the memory; the lookaside buffer follows
  DeviceMemory memory_;
};

/// How kernels on `device` see the layout of `plan` with its first byte at `base`.
GenericView generic_view(const plan::State& plan, std::byte* base, int device);

}  // namespace typewarp::cuda
