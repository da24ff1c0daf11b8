// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"
#include "interpose/core/collectives/host_copies.hpp"
#include "interpose/core/collectives/block_messages.hpp"
#include "interpose/core/requests/messages.hpp"

#include <cstdint>
#include <memory>
#include <optional>

/// Collective calls that the MPI makes on copies in host memory.
namespace typewarp::interpose {

/// A call of the MPI's with copies of the sides that are ours, and messages of ours that go beside it.
class StagedCall {
 public:
  /// `copy_sent`, `copy_received`: what is ours. Throws InvalidArgument, MpiError, GpuError, std::bad_alloc.
  StagedCall(const Call& call, bool copy_sent, bool copy_received);
  StagedCall& operator=(StagedCall&&) = delete;

  /// What the MPI is given. Its form is that in which it is handed on.
  const Call& given() const noexcept { return given_; }
  /// `blocks`: to be begun with the call. `arrays`: kept as long as this.
  void add(std::unique_ptr<LongBlocks> blocks, std::shared_ptr<const void> arrays) noexcept;
  /// Fills the copies, then starts what goes beside the MPI's call: that others wait for.
  Request begin();
  bool has_begun() const noexcept { return has_begun_; }
  /// Makes the MPI's call. Throws MpiError.
  void hand_on(const Form& form);
  bool is_handed_on() const noexcept { return is_handed_on_; }
  void unpack(Moves& moves);
  std::int64_t bytes() const noexcept;

 private:
  static std::unique_ptr<HostCopy> copy_of(const Call& call, const CallSide& side);

  Call given_;
  bool fills_;  ///< whether the MPI reads what is received into, or may leave some of it as it is
  std::unique_ptr<HostCopy> outgoing_, incoming_;
  std::shared_ptr<const void> arrays_;
  std::unique_ptr<LongBlocks> beside_;
  bool has_begun_ = false;
  bool is_handed_on_ = false;
};

/// Makes the call, in the form that the program's has. Throws MpiError, GpuError, std::bad_alloc.
void make(const std::shared_ptr<StagedCall>& call, const Form& form);

/// Makes the call on copies where a side is ours; nothing if none is. Where the program uses no GPU it takes
/// some 20 ns to find that out.
std::optional<int> stage(Call& call) noexcept;

}  // namespace typewarp::interpose
