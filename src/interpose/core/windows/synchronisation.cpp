// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls that begin an epoch of a window, and those after which one-sided calls are complete at this rank.

#include "interpose/calls.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/windows/device_window.hpp"
#include "interpose/core/windows/local_copies.hpp"
#include "transport/memory/reserve.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace typewarp::interpose {
namespace {

constexpr auto nothing = [](DeviceWindow&) {};

/// Makes the MPI's call. If a device makes calls in the window, its work is done before, and `act(window)` is
/// called after.
template <class HandOn, class Act>
int around(MPI_Win window, HandOn hand_on, Act act) noexcept {
  const std::shared_ptr<DeviceWindow> device = device_windows().find(window);
  if (!device) return hand_on();
  // Other ranks wait for the MPI's call even if this rank's device has failed.
  const int failed = guarded_in_window(window, [&] { device->wait(); });
  int code = hand_on();
  if (code == MPI_SUCCESS) code = guarded_in_window(window, [&] { act(*device); });
  return code != MPI_SUCCESS ? code : failed;
}

/// The same for a call that completes, at this rank, the calls to `target` or to any rank that were made
/// before it.
template <class HandOn, class Act>
int completing(MPI_Win window, std::optional<int> target, HandOn hand_on, Act act) noexcept {
  if (!pending().any()) return around(window, hand_on, act);
  int code = MPI_SUCCESS;
  const int failed = guarded_in_window(window, [&] {
    // Other ranks may wait for the MPI's call.
    const auto covered = transport::insist([&] { return pending().begun(window, target); });
    code = around(window, hand_on, act);
    if (code != MPI_SUCCESS) return;
    finish(covered);
    pending().sweep(window);
  });
  return code != MPI_SUCCESS ? code : failed;
}

template <int number>
int of_all(MPI_Win window) noexcept {
  return completing(window, std::nullopt, [=] { return hand_on(number, window); }, nothing);
}

template <int number>
int of_one(int rank, MPI_Win window) noexcept {
  return completing(window, rank, [=] { return hand_on(number, rank, window); }, nothing);
}

int unlock(int rank, MPI_Win window) noexcept {
  return completing(
      window, rank, [=] { return hand_on(call::Win_unlock, rank, window); },
      [=](DeviceWindow& device) { device.epochs().unlocked(rank); });
}

int unlock_all(MPI_Win window) noexcept {
  return completing(
      window, std::nullopt, [=] { return hand_on(call::Win_unlock_all, window); },
      [](DeviceWindow& device) { device.epochs().unlocked_all(); });
}

int fence(int mode, MPI_Win window) noexcept {
  return completing(
      window, std::nullopt, [=] { return hand_on(call::Win_fence, mode, window); },
      [](DeviceWindow& device) { device.epochs().fenced(); });
}

int lock(int type, int rank, int mode, MPI_Win window) noexcept {
  return around(
      window, [=] { return hand_on(call::Win_lock, type, rank, mode, window); },
      [=](DeviceWindow& device) { device.epochs().locked(rank); });
}

int lock_all(int mode, MPI_Win window) noexcept {
  return around(
      window, [=] { return hand_on(call::Win_lock_all, mode, window); },
      [](DeviceWindow& device) { device.epochs().locked_all(); });
}

int post(MPI_Group group, int mode, MPI_Win window) noexcept {
  return around(
      window, [=] { return hand_on(call::Win_post, group, mode, window); },
      [=](DeviceWindow& device) { device.epochs().posted(group); });
}

int start(MPI_Group group, int mode, MPI_Win window) noexcept {
  return around(
      window, [=] { return hand_on(call::Win_start, group, mode, window); },
      [=](DeviceWindow& device) { device.epochs().started(group); });
}

}  // namespace

void take_synchronisation() noexcept {
  take(call::Win_fence, fence);
  take(call::Win_post, post);
  take(call::Win_start, start);
  take(call::Win_complete, of_all<call::Win_complete>);
  take(call::Win_lock, lock);
  take(call::Win_lock_all, lock_all);
  take(call::Win_unlock, unlock);
  take(call::Win_unlock_all, unlock_all);
  take(call::Win_flush, of_one<call::Win_flush>);
  take(call::Win_flush_all, of_all<call::Win_flush_all>);
  take(call::Win_flush_local, of_one<call::Win_flush_local>);
  take(call::Win_flush_local_all, of_all<call::Win_flush_local_all>);
}

}  // namespace typewarp::interpose
