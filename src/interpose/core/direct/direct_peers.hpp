// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/stream.hpp"
#include "interpose/core/collectives/comm_agreement.hpp"
#include "interpose/core/function_ref.hpp"
#include "schedule/streams/group.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace typewarp::interpose {

/// When the ranks of a communicator ask each other about calls of one kind, of which nothing may come. The
/// same in all ranks.
class Patience {
 public:
  /// Calls between two questions are at most 1 << `longest_pause_log2`.
  explicit Patience(std::uint64_t longest_pause_log2) noexcept : longest_pause_log2_(longest_pause_log2) {}

  /// Counts a call. Whether the ranks ask in it: where nothing has come of that for long, they do every now
  /// and then only.
  bool asks_next() noexcept;
  /// The call was made.
  void reward() noexcept {
    in_vain_ = 0;
    next_ = 0;
  }
  std::uint64_t calls() const noexcept { return calls_; }

 private:
  std::uint64_t longest_pause_log2_;
  std::uint64_t calls_ = 0;
  std::uint64_t next_ = 0;     ///< call in which the ranks ask
  std::uint64_t in_vain_ = 0;  ///< questions in a row
};

/// What calls need that GPUs of the ranks of a communicator make at once, without messages.
class DirectPeers {
 public:
  explicit DirectPeers(MPI_Comm comm) noexcept : comm_(comm) {}

  /// By which they prepare. Collective at the first use. Throws MpiError.
  exchange::ExchangeGroup& group();
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
