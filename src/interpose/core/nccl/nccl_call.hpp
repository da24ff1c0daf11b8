// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "interpose/core/buffers/data.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/collectives/call.hpp"
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
struct DeviceSide {
  Data data;
  std::byte* first;  ///< byte of its data
  int device;
  bool is_consecutive;
};
/// What this rank's part of a call reads and writes: one twice, where it does both or there is no other.
struct Sides {
  DeviceSide from, to;

  bool are_consecutive() const noexcept { return from.is_consecutive && to.is_consecutive; }
};

/// What is enqueued for a call.
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

/// Has NCCL make a call that moves; or one that combines numbers of a type that it has.
void enqueue_move(const Making& making, const Call& call, const Participants& ranks, std::int64_t bytes);
struct TypeAndOp {
  Type type;
  RedOp operation;
};
void enqueue_reduction(const Making& making, const Call& call, const TypeAndOp& numbers);
/// Nothing where NCCL has not that.
std::optional<TypeAndOp> numbers_of(const Call& call);

inline std::size_t items(std::int64_t count) noexcept { return static_cast<std::size_t>(count); }

/// The right of a call to go by NCCL, which one of a process has at a time, from before it asks the other
/// ranks until it is over. NCCL's calls of two communicators wait for each other for ever where two ranks
/// make them in different orders, as threads may. Nobody waits for the right: a call without it tells the
/// other ranks that it is not ready.
class OnlyCall {
 public:
  OnlyCall& operator=(OnlyCall&&) = delete;
  ~OnlyCall() {
    if (JobSettings* const job = is_this_ ? JobMember<JobSettings>::current() : nullptr)
      job->has_call.clear(std::memory_order_release);
  }
  bool begin() noexcept {
    JobSettings* const job = JobMember<JobSettings>::current();
    return is_this_ = job != nullptr && !job->has_call.test_and_set(std::memory_order_acquire);
  }

 private:
  bool is_this_ = false;
};

/// A blocking collective call that NCCL makes if all ranks are ready for it. Which calls these are all ranks
/// know alike.
class NcclCall final : public PreferredPath {
 public:
  /// Nothing of one that is not: too short, or what NCCL cannot combine. An invalid argument is the MPI's to
  /// refuse. `call` must live as long as this.
  static void prefer(std::optional<NcclCall>& made, Call& call) noexcept;
  NcclCall(const Call& call, const Participants& ranks, std::int64_t bytes,
           const std::optional<TypeAndOp>& numbers) noexcept
      : call_(call), ranks_(ranks), bytes_(bytes), numbers_(numbers) {}

  LocalCapability prepare() noexcept override;
  bool begin(std::int64_t least) override;
  /// The call's code; nothing where not all ranks are ready, which all find alike.
  std::optional<int> make() noexcept;

 private:
  /// What a rank says before a call: the least of all ranks counts.
  enum class Readiness : std::int64_t {
    spoilt = -1,  ///< never again: a call failed in this rank
    none,         ///< not by NCCL
    pieces,       ///< packed, in pieces: some of its data is not consecutive
    consecutive,  ///< as it lies
  };

  void find_sides();
  Readiness readiness() noexcept;
  void enqueue();

  const Call& call_;
  Participants ranks_;
  std::int64_t bytes_;  ///< packed
  std::optional<TypeAndOp> numbers_;
  Kept* kept_ = nullptr;
  std::optional<Sides> sides_;
  OnlyCall only_;
  bool is_whole_ = false;
};

/// Makes the call by its preferred path, if it has one.
std::optional<int> make(Call& call) noexcept;

}  // namespace typewarp::interpose::nccl
