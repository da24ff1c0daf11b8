// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/call.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/windows/device_window.hpp"
#include "interpose/core/windows/local_copies.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>

/// One-sided calls. If the target's window is host memory, the MPI makes the call, on copies of local memory
/// that is ours, which last until the call is complete here. If the target's window is a device's, a device
/// makes the call.
namespace typewarp::interpose {

/// Whether the MPI makes the call on copies of one of these. Throws what data_if_ours() throws.
bool any_is_ours(std::initializer_list<LocalMemory> memories);

/// How many bytes the call names; -1 if that is not known. Throws what plan_of() throws.
std::int64_t bytes_of(const TargetMemory& target);

/// Keeps the copies of a call; forgets them if the call is not made.
class CopiesOfCall {
 public:
  CopiesOfCall(MPI_Win window, int target, const Pending::Copies& copies) : window_(window), copies_(copies) {
    pending().keep(window, target, copies);
  }
  CopiesOfCall& operator=(CopiesOfCall&&) = delete;
  ~CopiesOfCall() {
    if (copies_->has_begun()) return;
    copies_->end();
    pending().sweep(window_);
  }

 private:
  MPI_Win window_;
  const Pending::Copies& copies_;
};

/// Makes one call on memory of a GPU. `op` is MPI_OP_NULL if it has none, `request` null. Throws what the
/// calls of DeviceWindow throw.
void call_device(DeviceWindow& window, std::span<const LocalMemory> memories, const TargetMemory& target,
                 MPI_Op op, MPI_Request* request);

/// Makes one call. `hand_on(given, request...)` makes the MPI's.
template <class HandOn, class... Request>
int one_sided(int number, MPI_Win window, std::initializer_list<LocalMemory> memories,
              const TargetMemory& target, MPI_Op op, HandOn hand_on, Request... request) noexcept {
  const auto is_for_the_mpi_to_refuse = [](const LocalMemory& memory) { return memory.count < 0; };
  const bool is_refused = target.count < 0 || std::ranges::any_of(memories, is_for_the_mpi_to_refuse);
  bool is_the_mpis = is_refused;
  const int code = guarded_in_window(window, [&] {
    if (is_the_mpis) return;
    if (const auto device = window_that_reaches(window, target)) {
      MPI_Request* made = nullptr;
      ((made = request), ...);
      return call_device(*device, memories, target, op, made);
    }
    is_the_mpis = target.rank == MPI_PROC_NULL || !any_is_ours(memories);
    if (is_the_mpis) return;
    const auto copies =
        std::make_shared<LocalCopies>(memories, bytes_of(target), window_may_hide_errors(window));
    const CopiesOfCall making(window, target.rank, copies);
    const char* const name = name_of(number);
    if constexpr (sizeof...(Request) == 0) {
      mpi::check(hand_on(copies->given()), name);
      copies->begin();
    } else {
      const auto make = [&] {
        MPI_Request made = MPI_REQUEST_NULL;
        mpi::check(hand_on(copies->given(), &made), name);
        copies->begin();
        return made;
      };
      const auto act = [copies](const Status&, Moves& moves) { copies->finish(moves); };
      const auto start = [&] { return one_begun([&] { return continued(make, own_comm(), act); }); };
      ((*request = operations().add_started(own_comm(), start)), ...);
      pending().let_go(window, copies);
    }
  });
  return is_the_mpis ? hand_on(as_they_are(memories), request...) : code;
}

}  // namespace typewarp::interpose
