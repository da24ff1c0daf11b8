// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "interpose/core/buffers/data.hpp"
#include "interpose/core/collectives/group.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/nccl/nccl.hpp"
#include "interpose/core/observe/observed.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/error.hpp>

#include <atomic>
#include <cstddef>
#include <optional>

/// What calls by NCCL have in common.
namespace typewarp::interpose::nccl {

/// A buffer of a call, all of it on one device.
struct Side {
  Data data;
  std::byte* first;  ///< byte of its data
  int device;
  bool is_consecutive;
};
/// Nothing if it is not. Throws GpuError.
std::optional<Side> side_of(const void* buffer, std::int64_t items, MPI_Datatype type, MPI_Comm comm);

/// What this rank's part of a call reads and writes: one twice, where it does both or there is no other.
struct Sides {
  Side from, to;

  bool are_consecutive() const noexcept { return from.is_consecutive && to.is_consecutive; }
};
/// Nothing if one is missing, or they are on two devices.
std::optional<Sides> both(const std::optional<Side>& from, const std::optional<Side>& to);

/// The packed bytes of so many items of each of `blocks`, which all ranks know alike; 0 where that is too
/// short for NCCL, or there is only one rank. Nothing else is asked of an invalid argument: that is the MPI's
/// to refuse.
std::int64_t bytes_of(std::int64_t count, MPI_Datatype type, int blocks, const Ranks& ranks) noexcept;

/// What a rank says before a call: the least of all ranks counts.
enum class Readiness : std::int64_t {
  spoilt = -1,  ///< never again: a call failed in this rank
  none,         ///< not by NCCL
  pieces,       ///< packed, in pieces: some of its data is not consecutive
  consecutive,  ///< as it lies
};
/// All that is needed but other ranks: memory for pieces, too.
Readiness readiness(Kept& kept, const std::optional<Sides>& sides) noexcept;
/// That of all ranks. Where they differ in the bytes of the call it is none. Throws MpiError.
Readiness agree(Readiness own, std::int64_t bytes, MPI_Comm comm);

/// A call that NCCL makes.
struct Making {
  const Sides& sides;
  const Communicator& by;
  std::byte* staging;
  bool is_whole;  ///< all data is consecutive in all ranks
  const Api& api;
  Handle handle;
  void* stream;

  void check(Result result, const char* call) const { by.check(result, call); }
};

/// The right of a call to go by NCCL, which one of a process has at a time, from before it asks the other
/// ranks until it is over. NCCL's calls of two communicators wait for each other for ever where two ranks
/// make them in different orders, as threads may. Nobody waits for the right: a call without it tells the
/// other ranks that it is not ready.
class OnlyCall {
 public:
  OnlyCall() = default;
  OnlyCall(const OnlyCall&) = delete;
  OnlyCall& operator=(const OnlyCall&) = delete;
  ~OnlyCall() {
    if (is_this_) any_.clear(std::memory_order_release);
  }
  bool begin() noexcept { return is_this_ = !any_.test_and_set(std::memory_order_acquire); }

 private:
  static inline std::atomic_flag any_;
  bool is_this_ = false;
};

/// `find_sides()` tells what this rank has on a device, `enqueue(making)` makes NCCL's calls.
template <class FindSides, class Enqueue>
std::optional<int> make(MPI_Comm comm, std::int64_t bytes, FindSides find_sides, Enqueue enqueue) noexcept {
  bool is_made = false;
  const int code = guarded(comm, [&] {
    Kept* const kept = transport::insist([&] { return kept_with(comm); });  // others may wait for this rank
    if (kept == nullptr || !kept->asks()) return;
    std::optional<Sides> sides;
    OnlyCall only;
    try {
      sides = find_sides();
    } catch (const std::exception&) {  // others must hear of it; the call that follows tells the program
      sides.reset();
    }
    if (sides && !only.begin()) sides.reset();
    const Readiness all = agree(readiness(*kept, sides), bytes, comm);
    if (all == Readiness::spoilt) kept->give_up();
    if (all <= Readiness::none) return;
    if (!kept->communicator) kept->communicator = start(comm, sides->from.device, time_limit());
    if (!kept->communicator) return kept->give_up();
    is_made = true;
    kept->in_vain = 0;
    tell_taken(bytes);
    try {
      Communicator& by = *kept->communicator;
      by.run(sides->to.data.stream, time_limit(), [&](const Api& api, Handle handle, Stream stream) {
        std::byte* const staging = kept->staging ? kept->staging->data() : nullptr;
        enqueue(Making{*sides, by, staging, all == Readiness::consecutive, api, handle, stream.get()});
      });
    } catch (...) {
      kept->spoil();
      throw;
    }
  });
  if (code == MPI_SUCCESS && !is_made) return std::nullopt;
  return code;
}

inline std::size_t items(std::int64_t count) noexcept { return static_cast<std::size_t>(count); }

}  // namespace typewarp::interpose::nccl
