// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/device_buffer.hpp>
#include <typewarp/exchange.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::python::jax {

/// `sizes[d]` indices from `starts[d]` on in each dimension of an array, and the rank that they go to or come
/// from.
struct Box {
  int peer;
  std::vector<std::int64_t> starts, sizes;
};

/// An array without gaps, and the boxes of it that move.
struct Side {
  std::int64_t element_bytes;
  std::vector<std::int64_t> shape;  ///< of at least one dimension
  std::vector<Box> boxes;

  std::int64_t bytes() const;
};

/// An exchange between arrays of XLA, which are elsewhere in each call. Sends are displaced. Peers store into
/// memory of this object, which they have mapped, one box behind the other; from there all go to the result
/// by one launch. What this rank sends to itself goes straight to the result, unless that replaces the
/// source.
class Prepared {
 public:
  /// Allocates what it needs. Of this rank alone.
  Prepared(int device, int rank, Side source, Side result, bool in_place,
           std::chrono::milliseconds time_limit);
  /// Collective: throws in all ranks if their GPUs cannot store into each other's memory.
  void link(const Ranks& ranks);

  /// Enqueues it. Throws what Exchange::start throws, and Error for another stream than before: there nothing
  /// would order the calls.
  void run(const void* source, void* result, Stream stream);
  bool done();
  /// Collective. When all ranks have done it, nobody has this one's memory mapped, and the object may go.
  void unlink();

  std::int64_t source_bytes() const { return source_.bytes(); }
  std::int64_t result_bytes() const { return result_.bytes(); }

 private:
  Exchange& linked();

  Side source_, result_;
  bool straight_;  // what this rank sends to itself
  int rank_;
  ExchangeOptions options_;
  std::optional<DeviceBuffer> landing_, bound_;  // the latter stands for source and result until link()
  std::optional<Plan> landed_;                   // where all of `landing_` belongs in the result
  const std::byte* bound_source_;
  std::byte* bound_result_;
  std::mutex mutex_;
  std::optional<Exchange> exchange_;
  std::optional<Stream> stream_;
};

}  // namespace typewarp::python::jax
