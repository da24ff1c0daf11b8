// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device_resources.hpp"
#include "engine/device/layout/lists.hpp"
#include "engine/device/layout/pattern.hpp"
#include "engine/device/layout/shape.hpp"
#include "plan/state.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace typewarp::gpu {

/// A plan made ready for one device, by one way of looking irregular layouts up: its shape, and the lists in
/// that device's memory. Uploaded once, complete on return of the constructor, so that kernels of any stream
/// may read them. Retired, not freed, on destruction: kernels may be in flight.
class Prepared final : public plan::Attachment {
 public:
  Prepared(const plan::State& plan, Shape shape, Device& device);

  const Shape& shape() const noexcept { return shape_; }
  const Lists& lists() const noexcept { return lists_; }
  /// The pattern of `shape`, which is shape() or a repetition of it; null if it has none.
  const Pattern* pattern(const Shape& shape) const noexcept;
  /// Bytes of a run of an irregular item, on average.
  double run() const noexcept { return run_; }

 private:
  struct ListSource {
    const void* from;
    std::size_t bytes;
    const std::byte** place;  ///< where to note the address in device memory
  };
  void prepare_patterns(const plan::State& plan);
  void prepare_list(const plan::Encoding& encoding, Device& device);
  void upload_list(const Offsets& list, Device& device);
  void prepare_rank(const plan::Encoding& encoding, Device& device);
  void prepare_search(const plan::Encoding& encoding, Device& device);
  void prepare_generic(const plan::Encoding& encoding, Device& device);
  void upload(const std::vector<ListSource>& sources, Device& device);

  Shape shape_;
  Lists lists_;
  double run_ = 1;
  std::unique_ptr<const Pattern> single_, repeated_;
  std::optional<DeviceMemory> memory_;
};

/// The plan by the best of its lookups, made on first use.
const Prepared& prepared(const plan::State& plan, int device);
/// The plan by Lookup::generic, made on first use.
const Prepared& prepared_generic(const plan::State& plan, int device);

}  // namespace typewarp::gpu
