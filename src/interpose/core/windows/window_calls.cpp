// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/calls.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/windows/device_window.hpp"
#include "interpose/core/windows/local_copies.hpp"
#include "transport/memory/reserve.hpp"

#include <memory>
#include <optional>
#include <utility>

// Calls that make windows, say what they are and free them.
namespace typewarp::interpose {
namespace {

/// Makes a window by `create()`, or by `otherwise()` if that gives none.
int make_window(MPI_Comm comm, MPI_Win* window, FunctionRef<std::shared_ptr<DeviceWindow>()> create,
                FunctionRef<int()> otherwise) noexcept {
  bool is_ours = false;
  const int code = guarded(comm, [&] {
    const std::shared_ptr<DeviceWindow> made = create();
    is_ours = made != nullptr;
    if (!is_ours || made->handle() == MPI_WIN_NULL) return;
    // The others have the window.
    DeviceWindows::Entry entry = transport::insist([&] { return DeviceWindows::entry(made); });
    device_windows().add(made->handle(), std::move(entry));
    *window = made->handle();
  });
  return code != MPI_SUCCESS || is_ours ? code : otherwise();
}

template <class Unit>
int create(void* base, MPI_Aint bytes, Unit unit, MPI_Info info, MPI_Comm comm, MPI_Win* window) noexcept {
  constexpr int number = twin<Unit>(call::Win_create);
  const auto make = [=](const WindowMemory& memory, MPI_Info hints, MPI_Win* made) {
    return hand_on(number, memory.base, static_cast<MPI_Aint>(memory.bytes), static_cast<Unit>(memory.unit),
                   hints, comm, made);
  };
  return make_window(
      comm, window, [&] { return DeviceWindow::create({base, bytes, unit}, comm, make); },
      [&] {
        if (are_refused({{base, bytes}})) return refuse(number, comm);
        return hand_on(number, base, bytes, unit, info, comm, window);
      });
}

int create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* window) noexcept {
  constexpr int number = call::Win_create_dynamic;
  const auto make = [=](MPI_Win* made) { return hand_on(number, info, comm, made); };
  return make_window(
      comm, window, [&] { return DeviceWindow::create_dynamic(comm, make); }, [&] { return make(window); });
}

int attach(MPI_Win window, void* base, MPI_Aint bytes) noexcept {
  const std::shared_ptr<DeviceWindow> device = device_windows().find(window);
  WindowTargets* const attached = device ? device->attached() : nullptr;
  if (attached != nullptr && is_a_devices({base, bytes, 1}))
    return guarded_in_window(window, [&] { attached->attach(base, bytes); });
  if (are_refused({{base, bytes}})) return refuse_in_window(call::Win_attach, window);
  const int code = hand_on(call::Win_attach, window, base, bytes);
  if (code != MPI_SUCCESS || attached == nullptr) return code;
  return guarded_in_window(window, [&] {
    try {
      attached->memories().add(base, bytes, nullptr);
    } catch (...) {
      hand_on(call::Win_detach, window, base);
      throw;
    }
  });
}

int detach(MPI_Win window, const void* base) noexcept {
  const std::shared_ptr<DeviceWindow> device = device_windows().find(window);
  WindowTargets* const attached = device ? device->attached() : nullptr;
  if (attached == nullptr) return hand_on(call::Win_detach, window, base);
  const std::optional<bool> of_device = attached->memories().is_a_devices(base);
  if (!of_device && are_refused({{base, 1}}))
    return guarded_in_window(window, [] { fail(MPI_ERR_BASE, "the memory of a GPU is not attached"); });
  const int code = of_device == true ? MPI_SUCCESS : hand_on(call::Win_detach, window, base);
  if (code == MPI_SUCCESS) attached->memories().remove(base);
  return code;
}

int free(MPI_Win* window) noexcept {
  const MPI_Win freed = window != nullptr ? *window : MPI_WIN_NULL;
  int failed = MPI_SUCCESS;
  // Its handle may be that of the next window as soon as the MPI has freed it. What it has in the MPI's
  // window is there until then.
  const std::shared_ptr<DeviceWindow> device = device_windows().take(freed);
  if (device) failed = guarded_in_window(freed, [&] { device->close(); });
  auto calls = pending().take(freed);
  const int code = hand_on(call::Win_free, window);
  if (code != MPI_SUCCESS) pending().put_back(std::move(calls));
  return code != MPI_SUCCESS ? code : failed;
}

/// MPI gives pointers to what it keeps.
int get_attribute(MPI_Win window, int key, void* value, int* found) noexcept {
  const std::shared_ptr<DeviceWindow> device = device_windows().find(window);
  const auto give = [&](auto pointer) {
    *static_cast<decltype(pointer)*>(value) = pointer;
    *found = 1;
    return MPI_SUCCESS;
  };
  const bool tells = device && device->attributes();
  if (tells && key == MPI_WIN_BASE) return give(device->attributes()->base);
  if (tells && key == MPI_WIN_SIZE) return give(&device->attributes()->bytes);
  if (tells && key == MPI_WIN_DISP_UNIT) return give(&device->attributes()->unit);
  return hand_on(call::Win_get_attr, window, key, value, found);
}

}  // namespace

void take_windows() noexcept {
  take(call::Win_create, create<int>);
  take(call::Win_create_c, create<MPI_Aint>);
  take(call::Win_create_dynamic, create_dynamic);
  take(call::Win_attach, attach);
  take(call::Win_detach, detach);
  take(call::Win_free, free);
  take(call::Win_get_attr, get_attribute);
}

// Calls that begin an epoch of a window, and those after which one-sided calls are complete at this rank.

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
