// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

namespace typewarp::gpu {

bool built() noexcept;
/// Whether the driver answers and at least one device is usable. Asked once; never throws.
bool present() noexcept;

/// Whether this process has initialised a GPU's driver, through this library or not. Initialises nothing, so
/// a program that uses no GPU stays without one. Takes about 40 ns as long as the driver is not initialised.
bool in_use() noexcept;

/// Whether the calling thread has a device's context: whether the thread has chosen or used a device.
bool has_context() noexcept;

/// The calling thread's device. Throws GpuError where there is none.
int current_device();
/// Makes it the calling thread's, for good: in threads of the library.
void make_current(int device);

/// Makes a device current for a scope, in its primary context. A program may have made another one current,
/// as GCC's runtime of OpenACC does: then the default stream of the scope follows that of the program's
/// context, which follows it at the end.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device);
  DeviceGuard& operator=(DeviceGuard&&) = delete;
  ~DeviceGuard();

 private:
  static constexpr int none = -1;
  int previous_ = none;
  void* context_ = nullptr;  ///< of the program, if none of the runtime's was current
};

/// Whether kernels on device `from` may touch memory of device `to`, of the kind that peers_may_touch().
/// Enables peer access on first use.
bool can_reach(int from, int to);

/// The UUID of a device, which identifies it outside this process.
using DeviceName = std::array<std::byte, 16>;
/// That of a device of this process. Throws GpuError.
const DeviceName& device_name(int device);

}  // namespace typewarp::gpu
