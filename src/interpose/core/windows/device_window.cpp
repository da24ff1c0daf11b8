// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/device_window.hpp"

#include "base/never_destroyed.hpp"
#include "interpose/core/buffers/comm_settings.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/job/job.hpp"
#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace typewarp::interpose {
namespace {

constexpr int post_tag = 1;

/// Errors of a communicator that returns them.
void check_returned(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  int error_class = code;
  PMPI_Error_class(code, &error_class);
  throw MpiError(call, code, error_class, "failed", false);
}

}  // namespace

WindowEpochs::WindowEpochs(MPI_Comm comm) {
  const auto [rank, ranks] = mpi::rank_in(comm);
  locks_.resize(static_cast<std::size_t>(ranks), Lock::none);
  // A duplicate would copy the program's attributes.
  constexpr int all = 0;
  mpi::check(PMPI_Comm_split(comm, all, rank, &comm_), "MPI_Comm_split");
  PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

WindowEpochs::~WindowEpochs() { PMPI_Comm_free(&comm_); }

void WindowEpochs::set(int rank, Lock lock) {
  const std::lock_guard guard(mutex_);
  if (rank >= 0 && static_cast<std::size_t>(rank) < locks_.size())
    locks_[static_cast<std::size_t>(rank)] = lock;
}

void WindowEpochs::set_all(Lock lock) {
  const std::lock_guard guard(mutex_);
  std::ranges::fill(locks_, lock);
}

void WindowEpochs::acquire(int rank, MPI_Aint displacement, MPI_Win window) {
  const auto is_asked_for = [&] {
    const std::lock_guard guard(mutex_);
    return locks_[static_cast<std::size_t>(rank)] == Lock::asked_for;
  };
  if (!is_asked_for()) return;
  // Other threads may have to let go of what the holder waits for.
  mpi::check(PMPI_Get(&fetched_, 1, MPI_CHAR, rank, displacement, 1, MPI_CHAR, window), "MPI_Get");
  mpi::check(PMPI_Win_flush(rank, window), "MPI_Win_flush");
  if (is_asked_for()) set(rank, Lock::held);
}

void WindowEpochs::fenced() { check_returned(PMPI_Barrier(comm_), "MPI_Barrier"); }

std::vector<int> WindowEpochs::ranks_of(MPI_Group group) const {
  int size = 0;
  check_returned(PMPI_Group_size(group, &size), "MPI_Group_size");
  std::vector<int> theirs(static_cast<std::size_t>(size)), ours(theirs.size(), MPI_PROC_NULL);
  std::iota(theirs.begin(), theirs.end(), 0);
  MPI_Group all = MPI_GROUP_NULL;
  check_returned(PMPI_Comm_group(comm_, &all), "MPI_Comm_group");
  const int code = PMPI_Group_translate_ranks(group, size, theirs.data(), all, ours.data());
  PMPI_Group_free(&all);
  check_returned(code, "MPI_Group_translate_ranks");
  return ours;
}

void WindowEpochs::posted(MPI_Group group) {
  for (const int rank : ranks_of(group)) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_returned(PMPI_Isend(nullptr, 0, MPI_BYTE, rank, post_tag, comm_, &request), "MPI_Isend");
    check_returned(PMPI_Request_free(&request), "MPI_Request_free");
  }
}

void WindowEpochs::started(MPI_Group group) {
  for (const int rank : ranks_of(group))
    check_returned(PMPI_Recv(nullptr, 0, MPI_BYTE, rank, post_tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
}

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

/// Collective. Whether each rank has a device to call from.
bool all_have_devices(MPI_Comm comm) {
  return !mpi::first_failure(comm, [] { gpu::current_device(); });
}

}  // namespace

std::shared_ptr<DeviceWindow> DeviceWindow::create(const WindowMemory& own, MPI_Comm comm,
                                                   const Create& create) {
  const std::optional<Everyone> everyone = comm != MPI_COMM_NULL ? everyone_of(comm) : std::nullopt;
  if (!everyone) return nullptr;
  const Answers answers = ask(comm, is_a_devices(own), everyone->host);
  if (!answers.any) return nullptr;
  if (!answers.is_one_host)
    throw InvalidArgument("MPI_Win_create", "base buffer", "memory of a GPU",
                          "must be the host's if the ranks are on several hosts");
  auto made = std::make_shared<DeviceWindow>(comm, &own);
  const WindowMemory stand_in{&made->stand_in_, sizeof(made->stand_in_), own.unit};  // which the MPI checks
  // Hints of the program's may not hold for what stands in.
  mpi::check(create(is_a_devices(own) ? stand_in : own, MPI_INFO_NULL, &made->window_), "MPI_Win_create");
  return made;
}

std::shared_ptr<DeviceWindow> DeviceWindow::create_dynamic(MPI_Comm comm,
                                                           const std::function<int(MPI_Win*)>& create) {
  const std::optional<Everyone> everyone = comm != MPI_COMM_NULL ? everyone_of(comm) : std::nullopt;
  if (!everyone) return nullptr;
  const Answers answers = ask(comm, gpu::in_use() && !mpi_takes_device_memory(), everyone->host);
  if (!answers.any || !answers.is_one_host || !all_have_devices(comm)) return nullptr;
  std::shared_ptr<DeviceWindow> made;
  try {
    made = std::make_shared<DeviceWindow>(comm, nullptr);
  } catch (const MpiError&) {
    throw;
  } catch (const GpuError&) {
    throw;
  } catch (const Error&) {  // in all ranks: there is no room for what they share
    return nullptr;
  }
  mpi::check(create(&made->window_), "MPI_Win_create_dynamic");
  if (made->window_ == MPI_WIN_NULL) return made;
  mpi::check(PMPI_Win_attach(made->window_, &made->stand_in_, sizeof(made->stand_in_)), "MPI_Win_attach");
  // From here on any rank may be asked for its byte.
  mpi::check(PMPI_Barrier(comm), "MPI_Barrier");
  return made;
}

DeviceWindow::DeviceWindow(MPI_Comm comm, const WindowMemory* own) : epochs_(comm), file_(epochs_.comm()) {
  targets_ = own != nullptr ? std::make_unique<WindowTargets>(epochs_.comm(), file_, *own)
                            : std::make_unique<WindowTargets>(epochs_.comm(), file_, &stand_in_);
  if (own != nullptr)
    attributes_ = {own->base, static_cast<MPI_Aint>(own->bytes), static_cast<int>(own->unit)};
  stream_ = usable_stream(comm, targets_->device());
}

void DeviceWindow::enqueue(const gpu::Side& to, const gpu::Side& from, std::int64_t bytes) {
  gpu::copy(to, from, {0, bytes}, {targets_->device(), stream_});
  enqueued_ = true;
}

void DeviceWindow::reach() {
  if (std::exchange(enqueued_, false)) gpu::Event(targets_->device(), stream_).wait();
}

void DeviceWindow::wait() {
  const std::lock_guard lock(mutex_);
  reach();
}

void DeviceWindow::close() {
  const std::lock_guard lock(mutex_);
  const std::unique_ptr<WindowTargets> unmapped = std::move(targets_);
  if (std::exchange(enqueued_, false)) gpu::Event(unmapped->device(), stream_).wait();
}

DeviceWindows& device_windows() {
  static NeverDestroyed<DeviceWindows> instance;
  return instance.get();
}

std::shared_ptr<DeviceWindow> window_that_reaches(MPI_Win window, const TargetMemory& target) {
  std::shared_ptr<DeviceWindow> found = device_windows().find(window);
  return found && found->reaches(target) ? found : nullptr;
}

}  // namespace typewarp::interpose
