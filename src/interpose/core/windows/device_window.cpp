// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/device_window.hpp"

#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/job/job.hpp"

#include <typewarp/mpi.hpp>

#include <optional>
#include <utility>

namespace typewarp::interpose {
namespace {

/// That of the communicator, if the device has it.
Stream usable_stream(MPI_Comm comm, int device) noexcept {
  try {
    const Stream stream = stream_of(comm);
    const int of = stream != nullptr ? gpu::stream_device(stream) : device;
    return of < 0 || of == device ? stream : nullptr;
  } catch (const GpuError&) {
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<DeviceWindow> DeviceWindow::create(const WindowMemory& own, MPI_Comm comm,
                                                   const Create& create) {
  if (comm == MPI_COMM_NULL || !everyone_of(comm)) return nullptr;
  std::optional<WindowTargets> targets = WindowTargets::of(own, comm);
  if (!targets) return nullptr;
  auto made = std::make_shared<DeviceWindow>(own, comm, std::move(*targets));
  const WindowMemory stand_in{&made->stand_in_, sizeof(made->stand_in_), own.unit};  // which the MPI checks
  // Hints of the program's may not hold for what stands in.
  mpi::check(create(is_a_devices(own) ? stand_in : own, MPI_INFO_NULL, &made->window_), "MPI_Win_create");
  return made;
}

DeviceWindow::DeviceWindow(const WindowMemory& own, MPI_Comm comm, WindowTargets targets)
    : attributes_{own.base, static_cast<MPI_Aint>(own.bytes), static_cast<int>(own.unit)},
      targets_(std::move(targets)),
      epochs_(comm),
      accumulates_(epochs_.comm()),
      stream_(usable_stream(comm, targets_.device())) {}

void DeviceWindow::enqueue(const gpu::Side& to, const gpu::Side& from, std::int64_t bytes) {
  gpu::copy(to, from, {0, bytes}, {targets_.device(), stream_});
  enqueued_ = true;
}

void DeviceWindow::reach() {
  if (std::exchange(enqueued_, false)) gpu::Event(targets_.device(), stream_).wait();
}

void DeviceWindow::wait() {
  const std::lock_guard lock(mutex_);
  reach();
}

void DeviceWindow::close() {
  const std::lock_guard lock(mutex_);
  const WindowTargets unmapped = std::exchange(targets_, targets_.of_nobody());
  if (std::exchange(enqueued_, false)) gpu::Event(targets_.device(), stream_).wait();
}

void DeviceWindows::add(std::shared_ptr<DeviceWindow> window) {
  const std::lock_guard lock(mutex_);
  windows_.insert_or_assign(window->handle(), window);
  known_.store(windows_.size(), std::memory_order_release);
}

std::shared_ptr<DeviceWindow> DeviceWindows::find(MPI_Win window) {
  if (!any()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(window);
  return found != windows_.end() ? found->second : nullptr;
}

std::shared_ptr<DeviceWindow> DeviceWindows::find(MPI_Win window, int rank) {
  std::shared_ptr<DeviceWindow> found = find(window);
  return found && found->reaches(rank) ? found : nullptr;
}

std::shared_ptr<DeviceWindow> DeviceWindows::take(MPI_Win window) noexcept {
  if (!any()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(window);
  if (found == windows_.end()) return nullptr;
  std::shared_ptr<DeviceWindow> taken = std::move(found->second);
  windows_.erase(found);
  known_.store(windows_.size(), std::memory_order_release);
  return taken;
}

DeviceWindows& device_windows() {
  static DeviceWindows& instance = *new DeviceWindows;
  return instance;
}

}  // namespace typewarp::interpose
