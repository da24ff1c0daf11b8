// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/handle_table.hpp"
#include "interpose/core/reductions/reduce_scatter_allgather.hpp"
#include "interpose/core/windows/local_copies.hpp"
#include "interpose/core/windows/window_file.hpp"
#include "interpose/core/windows/window_targets.hpp"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace typewarp::interpose {

/// Epochs of a window in which a device makes some calls. These may begin when the epoch has begun, but an
/// MPI may put off its beginning until one of its own calls needs it. Thread safe.
class WindowEpochs {
 public:
  /// Collective over `comm`. Throws MpiError.
  explicit WindowEpochs(MPI_Comm comm);
  ~WindowEpochs();

  MPI_Comm comm() const noexcept { return comm_; }

  // Each follows the MPI's call. Throw MpiError.

  void locked(int rank) { set(rank, Lock::asked_for); }
  void locked_all() { set_all(Lock::asked_for); }
  void unlocked(int rank) { set(rank, Lock::none); }
  void unlocked_all() { set_all(Lock::none); }
  void fenced();                  ///< returns when all ranks are there
  void posted(MPI_Group group);   ///< after MPI_Win_post
  void started(MPI_Group group);  ///< after MPI_Win_start: returns when all of the group have posted

  /// Before a device's call to `rank`: in the epoch of a lock, returns when this rank has the lock. The MPI's
  /// window must have a byte at `displacement` there.
  void acquire(int rank, MPI_Aint displacement, MPI_Win window);

 private:
  enum class Lock : std::uint8_t { none, asked_for, held };

  std::vector<int> ranks_of(MPI_Group group) const;
  void set_all(Lock lock);
  void set(int rank, Lock lock);

  MPI_Comm comm_ = MPI_COMM_NULL;
  char fetched_ = 0;  ///< what is asked of a rank for the sake of its lock
  std::mutex mutex_;
  std::vector<Lock> locks_;  ///< of each rank
};

/// What MPI_Win_get_attr tells of a window.
struct WindowAttributes {
  void* base;
  MPI_Aint bytes;
  int unit;
};

/// A window with memory that only a device reaches. Its ranks are on one host. Each maps the memory of the
/// others, and its device reads and writes there. The MPI's window has a few bytes in place of such memory:
/// it synchronises, and makes the calls to host memory.
class DeviceWindow {
 public:
  /// Makes the MPI's window of this memory.
  using Create = std::function<int(const WindowMemory&, MPI_Info, MPI_Win*)>;

  /// Collective over `comm`, in place of MPI_Win_create. Null, in all ranks, if no rank's memory is a
  /// device's or some rank lacks this library. Throws what WindowTargets throws.
  static std::shared_ptr<DeviceWindow> create(const WindowMemory& own, MPI_Comm comm, const Create& create);
  /// The same in place of MPI_Win_create_dynamic. `create` makes the MPI's window. Null also if the ranks are
  /// on several hosts, or none uses a GPU yet.
  static std::shared_ptr<DeviceWindow> create_dynamic(MPI_Comm comm,
                                                      const std::function<int(MPI_Win*)>& create);
  /// Collective over `comm`; `own` is null if it is dynamic.
  DeviceWindow(MPI_Comm comm, const WindowMemory* own);

  MPI_Win handle() const noexcept { return window_; }
  /// Nothing if it is dynamic: then the MPI knows them.
  std::optional<WindowAttributes>& attributes() noexcept { return attributes_; }
  /// What was attached, if it is dynamic; else null.
  WindowTargets* attached() noexcept { return attributes_ ? nullptr : targets_.get(); }
  WindowEpochs& epochs() noexcept { return epochs_; }
  /// Whether this makes the calls there, and not the MPI.
  bool reaches(const TargetMemory& target) { return targets_->reaches(target); }

  // Calls to memory that it reaches, thread safe. On return their work is enqueued on the device, or done.
  // They throw InvalidArgument, GpuError, and MpiError of class MPI_ERR_RMA_RANGE beyond the target's window,
  // of MPI_ERR_TRUNCATE for more than there is room for.

  void put(const LocalMemory& from, const TargetMemory& to);
  void get(const LocalMemory& to, const TargetMemory& from);
  /// `operand` is null for MPI_NO_OP, `result` if it is not asked for. Done on return.
  void accumulate(const LocalMemory* operand, const LocalMemory* result, const TargetMemory& to, MPI_Op op);
  void compare_and_swap(const LocalMemory& operand, const LocalMemory& compare, const LocalMemory& result,
                        const TargetMemory& to);
  /// Waits for what was enqueued. Throws GpuError.
  void wait();
  /// The same. After that this rank does not map memory of others any more, even if it throws.
  void close();

 private:
  // Under the lock.
  void enqueue(const gpu::Side& to, const gpu::Side& from, std::int64_t bytes);
  void combine(const Numbers& numbers, const gpu::Side& here, const gpu::Side& there, std::int64_t bytes);
  void fetch(const Data& to, const gpu::Side& there, std::int64_t bytes);
  void reach();

  std::optional<WindowAttributes> attributes_;
  WindowEpochs epochs_;
  WindowFile file_;
  std::unique_ptr<WindowTargets> targets_;
  Stream stream_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::int64_t stand_in_ = 0;  ///< what the MPI's window has in place of this rank's memory
  std::mutex mutex_;
  bool enqueued_ = false;
};

/// The windows of this kind in this process.
using DeviceWindows = HandleTable<MPI_Win, DeviceWindow>;
DeviceWindows& device_windows();
/// Null if there is none, or it does not reach `target`.
std::shared_ptr<DeviceWindow> window_that_reaches(MPI_Win window, const TargetMemory& target);

}  // namespace typewarp::interpose
