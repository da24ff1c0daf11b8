// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agenda.hpp"
#include "verify.hpp"

#include <typewarp/engine.hpp>

#include <map>

/// Packs and unpacks by every method, and says which bytes came out wrong.
namespace typewarp::contention {

/// The memory that all moves share, large enough for each, and what was prepared for each layout.
class Workshop {
 public:
  Workshop();

  struct Layout {
    Plan plan;
    bench::DevicePlaces places, packed_places;
    std::int64_t extent;     ///< bytes from the first to behind the last
    double touched, packed;  ///< bytes of device memory that moving it reads or writes, in whole segments
  };
  const Layout& prepared(const Case& subject);

  const bench::Queue queue;
  bench::DeviceMemory layout, packed, staging;
  bench::PinnedMemory pinned, pinned_extent;
  bench::DevicePool checked;  ///< where packed bytes in pinned memory are brought to be compared

 private:
  std::map<std::pair<std::string, std::int64_t>, Layout> layouts_;  ///< by name and packed bytes
};

/// One way to move the bytes of one layout. The buffer of the layout is Workshop::layout.
class Mover {
 public:
  /// `workshop` must stay.
  Mover(Workshop& workshop, const Item& item);

  /// Fills source and destination with noise that no mover before had.
  void fill();
  void enqueue(cudaStream_t stream) const;
  /// Throws Error if what was enqueued, and is done, has moved a byte wrongly or changed one beside the
  /// layout; spoils the destination.
  void verify();
  /// What this machine's memory and link have to pass, whatever the method.
  Demand demand() const;
  /// With the hints of the method.
  const Plan& plan() const noexcept { return plan_; }

 private:
  bench::Side user() const;
  bench::Side other() const;
  std::byte* packed() const;
  void library(void* packed, cudaStream_t stream) const;
  void rows(std::byte* packed, cudaStream_t stream) const;
  void batch(cudaStream_t stream) const;
  void copy(void* to, const void* from, std::int64_t bytes, cudaStream_t stream) const;

  struct Ends {
    void* to;
    const void* from;
  };
  Ends ends_of(std::int64_t row) const;

  Workshop& workshop_;
  const Workshop::Layout& layout_;
  Item item_;
  Plan plan_;
  std::uint64_t filled_ = 0;  ///< seed of the source; the destination's is the next
};

}  // namespace typewarp::contention
