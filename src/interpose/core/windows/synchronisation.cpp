// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls after which one-sided ones are complete at this rank.

#include "interpose/calls.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/windows/pending.hpp"

namespace typewarp::interpose {
namespace {

/// What has become of the MPI's call: where it did its work, calls to `target` are complete.
int synchronised(int code, MPI_Win window, std::optional<int> target) noexcept {
  if (code != MPI_SUCCESS || !pending().any()) return code;
  return guarded_in_window(window, [&] { pending().finish(window, target); });
}

template <int number>
int of_all(MPI_Win window) noexcept {
  return synchronised(hand_on(number, window), window, std::nullopt);
}

template <int number>
int of_one(int rank, MPI_Win window) noexcept {
  return synchronised(hand_on(number, rank, window), window, rank);
}

int fence(int mode, MPI_Win window) noexcept {
  return synchronised(hand_on(call::Win_fence, mode, window), window, std::nullopt);
}

int free(MPI_Win* window) noexcept {
  const MPI_Win freed = window != nullptr ? *window : MPI_WIN_NULL;
  const int code = hand_on(call::Win_free, window);
  if (code == MPI_SUCCESS && pending().any()) pending().forget(freed);
  return code;
}

}  // namespace

void take_synchronisation() noexcept {
  take(call::Win_fence, fence);
  take(call::Win_complete, of_all<call::Win_complete>);
  take(call::Win_unlock, of_one<call::Win_unlock>);
  take(call::Win_unlock_all, of_all<call::Win_unlock_all>);
  take(call::Win_flush, of_one<call::Win_flush>);
  take(call::Win_flush_all, of_all<call::Win_flush_all>);
  take(call::Win_flush_local, of_one<call::Win_flush_local>);
  take(call::Win_flush_local_all, of_all<call::Win_flush_local_all>);
  take(call::Win_free, free);
}

}  // namespace typewarp::interpose
