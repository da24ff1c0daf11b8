// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls that make windows, say what they are and free them.

#include "interpose/calls.hpp"
#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/function_ref.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/windows/device_window.hpp"
#include "interpose/core/windows/local_copies.hpp"
#include "transport/memory/reserve.hpp"

#include <memory>
#include <optional>
#include <utility>

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

}  // namespace typewarp::interpose
