// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/collectives/agreement.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/job_member.hpp"
#include "schedule/streams/group.hpp"

#include <mpi.h>

#include <atomic>
#include <memory>
#include <optional>

namespace typewarp::interpose {

/// Who may launch kernels that wait for those of other ranks, where threads of the program make calls at
/// once: each rank may launch them in another order. With two kernels, each has some running blocks on every
/// GPU (PeerReduction::leaves_room()); these end and make room for the rest. With four, each may wait for one
/// that has none. Where one thread makes all calls, one that blocks may be beside one that does not. A member
/// of the job. Thread safe.
struct WaitingKernels {
  using Seat = std::atomic<bool>;
  /// Of one call, until it ends.
  Seat move = false;
  /// Of one communicator of a program with threads, until it is freed: its reductions must not change their
  /// way.
  Seat reductions = false;
  /// Of one communicator of another program, for those that do not block.
  Seat nonblocking = false;
};

/// One of these, if nobody had it.
class HeldSeat {
 public:
  explicit HeldSeat(WaitingKernels::Seat WaitingKernels::* seat) noexcept
      : seat_(seat), is_held_(kernels() != nullptr && !(kernels()->*seat).exchange(true)) {}
  HeldSeat& operator=(HeldSeat&&) = delete;
  ~HeldSeat() {
    if (is_held_ && kernels() != nullptr) kernels()->*seat_ = false;
  }
  bool is_held() const noexcept { return is_held_; }

 private:
  static WaitingKernels* kernels() noexcept { return JobMember<WaitingKernels>::current(); }

  WaitingKernels::Seat WaitingKernels::* seat_;
  bool is_held_;
};

/// What calls need that GPUs of the ranks of a communicator make at once, without messages.
class DirectPeers {
 public:
  explicit DirectPeers(MPI_Comm comm) noexcept : comm_(comm) {}
  /// By which they prepare. Collective at the first use. Throws MpiError.
  exchange::ExchangeGroup& group();
  /// Calls `step`, which does not communicate, on all ranks. Throws Error on all of them where one fails,
  /// also where its MPI does: so all make the call in another way. Throws MpiError where the ranks cannot
  /// meet.
  void together(FunctionRef<void()> step);
  /// On which this rank's part of a call goes, behind what `stream` holds. Throws GpuError.
  Stream stream_behind(Stream stream, int device);
  /// Waits for the end of what this rank has enqueued. Throws what `check()` throws, which asks the device;
  /// TimeLimitExceeded; and Error where another rank has failed.
  static void wait(CommAgreement& agreement, FunctionRef<bool()> is_done, FunctionRef<void()> check);
  /// This rank has failed in a call: others hear of it, and what waits is released until it is done.
  static void give_up(CommAgreement& agreement, FunctionRef<bool()> is_done,
                      FunctionRef<void()> release) noexcept;

 private:
  MPI_Comm comm_;
  std::unique_ptr<exchange::ExchangeGroup> group_;
  std::optional<gpu::OwnStream> stream_;  ///< of a program with threads
  int stream_device_ = -1;
};

}  // namespace typewarp::interpose
