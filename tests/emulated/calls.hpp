// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

/// Never freed: streams and events know theirs.
struct CUctx_st {
  int device;
  std::atomic<bool> destroyed = false;
  std::atomic<bool> is_active = false;  ///< of a primary one: whether it has been current
};

namespace emulated {

/// Thrown inside; functions of the interface return it.
struct Failure {
  cudaError_t status;
};
inline void require(bool condition, cudaError_t otherwise = cudaErrorInvalidValue) {
  if (!condition) throw Failure{otherwise};
}

/// While there is one, ThreadSanitizer sees nothing of what the calling thread does.
struct Unseen {
  Unseen();
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
  ~Unseen();
};

/// Owned by threads of which none comes after the others by that: neither their uses nor the end are seen.
template <typename Made>
std::shared_ptr<Made> owned_unseen(Made* made) {
  return {made, [](Made* dropped) {
            const Unseen unseen;
            delete dropped;
          }};
}

/// The lock of what the device keeps for itself, unseen: that two threads of a program call the device puts
/// neither after the other.
class Lock : public std::unique_lock<std::mutex> {
 public:
  explicit Lock(std::mutex& mutex) : std::unique_lock<std::mutex>(mutex, std::defer_lock) { lock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (owns_lock()) unlock();
  }
  void lock() {
    unseen_.emplace();
    std::unique_lock<std::mutex>::lock();
  }
  void unlock() {
    std::unique_lock<std::mutex>::unlock();
    unseen_.reset();
  }

 private:
  std::optional<Unseen> unseen_;
};

/// Devices that there are: EMULATED_DEVICES, or 2.
int device_count();
/// Whether kernels of a device may touch memory of another: within groups of EMULATED_GROUP devices.
bool reaches(int device, int other);
/// EMULATED_VERSION (11070 for 11.7), or that of today. What CUDA had no earlier is refused.
int version();

/// The primary context of a device.
CUctx_st* primary_context(int device);
void make_primary_current(int device);

/// What CUDA keeps for each thread.
struct OfThread {
  int device = 0;  ///< that of the context, if there is one
  cudaError_t last_error = cudaSuccess;
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  CUctx_st* context = nullptr;
};
OfThread& of_thread();
/// Whether the process has called anything that makes a context.
bool initialised();
void initialise();

/// A function of the interface that makes no context.
template <typename Body>
cudaError_t ask(Body body) noexcept {
  cudaError_t status = cudaSuccess;
  try {
    body();
  } catch (const Failure& failure) {
    status = failure.status;
  } catch (const std::bad_alloc&) {
    status = cudaErrorMemoryAllocation;
  }
  if (status != cudaSuccess) of_thread().last_error = status;
  return status;
}

/// One that needs a device.
template <typename Body>
cudaError_t call(Body body) noexcept {
  return ask([&] {
    require(device_count() > 0, cudaErrorNoDevice);
    initialise();
    body();
  });
}

}  // namespace emulated
