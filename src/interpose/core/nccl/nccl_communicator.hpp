// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/device.hpp"
#include "engine/runtime/stream.hpp"
#include "interpose/core/nccl/nccl_api.hpp"

#include <mpi.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::interpose::nccl {

/// A library of NCCL that suits, and its version.
struct Library {
  Api api;
  int version;  ///< as NCCL counts: nccl::version(2, 28) and its patch
};

/// NCCL, looked for at the first call: one that is loaded already, else that which TYPEWARP_NCCL names, else
/// the system's, else that of a Python package (nvidia-nccl) in the folder of packages that has this library,
/// unless other users can change it. Null where there is none that suits.
const Library* library();
/// Why there is none.
const std::string& why_no_library();

/// This process's part of NCCL's communicator for the ranks of an MPI communicator, each of which has a
/// device of its own. Goes without waiting for other ranks: NCCL may, in a thread.
class Communicator {
 public:
  Communicator(const Library& library, Handle handle, int device,
               std::unique_ptr<gpu::OwnStream> stream) noexcept
      : library_(library), handle_(handle), device_(device), stream_(std::move(stream)) {}
  Communicator& operator=(Communicator&&) = delete;
  ~Communicator();

  Handle get() const noexcept { return handle_; }
  int device() const noexcept { return device_; }
  /// On which all its work goes.
  Stream stream() const noexcept { return stream_->get(); }

  /// Calls `enqueue(api, handle, stream)` with its device current, once `before` has done what it holds, and
  /// returns when all that it enqueued is done. A limit of 0 is none. Throws NcclError, GpuError,
  /// TimeLimitExceeded: then there is no use for it any more, nor for that of other ranks.
  template <class Enqueue>
  void run(Stream before, std::chrono::milliseconds limit, Enqueue enqueue) {
    const Turn turn(*this, before);
    failed_ = true;  // unless all is seen to end
    enqueue(library_.api, handle_, stream());
    wait(limit);
    failed_ = false;
  }
  /// It is aborted when it goes, and not destroyed.
  void abandon() noexcept { failed_ = true; }
  /// Throws NcclError unless a call of NCCL has succeeded; waits for one that is under way.
  void check(Result result, const char* call) const;

 private:
  /// While it lives the device is current, and what is enqueued then comes after what `before` holds now.
  class Turn {
   public:
    Turn(const Communicator& of, Stream before);

   private:
    std::optional<gpu::DeviceGuard> guard_;
  };
  void wait(std::chrono::milliseconds limit);

  const Library& library_;
  Handle handle_;
  int device_;
  std::unique_ptr<gpu::OwnStream> stream_;
  bool failed_ = false;  ///< whether something of it may never end
};

/// Collective over `comm`, each rank of which has buffers with `device`. Null in all ranks where NCCL cannot
/// start in one of them: with TYPEWARP_VERBOSE=1 the first such failure says why. Throws MpiError.
std::unique_ptr<Communicator> start(MPI_Comm comm, int device, std::chrono::milliseconds limit);

/// What ends communicators. MPICH calls back under its locks when a communicator is freed, and NCCL may wait
/// for ranks that have still to come there. A member of the job. Thread safe.
class CommunicatorEnds {
 public:
  /// Calls it in a thread. False where none can be had, and then it is not called.
  bool add(const std::function<void()>& end) noexcept;
  void wait() noexcept;

 private:
  std::mutex mutex_;
  std::vector<std::future<void>> under_way_;
};

}  // namespace typewarp::interpose::nccl
