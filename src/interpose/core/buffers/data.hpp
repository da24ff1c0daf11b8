// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/displaced.hpp"
#include "interpose/core/buffers/opaque_type.hpp"
#include "transport/buffer/staging.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/plan.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace typewarp::interpose {

/// Bytes of a packed stream that follow each other and lie in one memory.
struct Stretch {
  ByteRange packed;
  const void* first;  ///< where the first of them lies
};
using Stretches = std::vector<Stretch>;

/// (buffer, count, datatype) of a call, to be moved by us.
struct Data {
  void* address;  ///< null for a type of absolute addresses
  std::int64_t count;
  Plan plan;  ///< of an opaque datatype: of as many bytes
  /// Where it lies in several memories, of which no kernel reaches all (stretches.hpp); else null.
  std::shared_ptr<const Stretches> stretches{};
  Stream stream = nullptr;  ///< with whose work it is ordered
  /// The datatype, where that has no plan: in memory that the MPI reaches, all of it, and none of its bytes
  /// alone.
  std::shared_ptr<const OpaqueType> opaque{};

  /// Whether it lies in several memories.
  bool is_split() const noexcept { return stretches != nullptr; }
  /// Whether it cannot be moved from where it lies, but by a copy of its packed bytes.
  bool is_moved_packed() const noexcept { return is_split() || opaque != nullptr; }
  /// Of the packed stream.
  std::int64_t bytes() const noexcept { return count * plan.size(); }
};

/// Whether nothing can lie there: on a null buffer, but for types of absolute addresses.
inline bool is_nowhere(const Data& data) noexcept {
  constexpr std::int64_t never_mapped = 4096;
  return data.address == nullptr && data.plan.layout().offset < never_mapped &&
         data.plan.layout().offset > -never_mapped;
}

/// Whether items lie one behind the other without gaps, as packed.
inline bool is_dense(const Plan& plan) noexcept {
  constexpr std::int64_t several = 2;
  return plan.layout().offset == 0 && transport::consecutive(plan, several);
}

/// `offset` bytes behind `address`, which is null where the type has absolute addresses.
inline void* at(const void* address, std::int64_t offset) noexcept { return gpu::displaced(address, offset); }

}  // namespace typewarp::interpose
