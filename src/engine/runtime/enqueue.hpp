// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/displaced.hpp"
#include "plan/host_device.hpp"

#include <typewarp/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace typewarp::gpu {

/// One side of equal rows, in bytes.
struct RowSide {
  std::byte* first;
  std::int64_t pitch;  ///< from row to row
};

/// Equal rows on both sides: what copy engines move at once.
struct RowCopy {
  RowSide to, from;
  std::int64_t row;  ///< bytes
  std::int64_t rows = 1;

  std::byte* last_byte(const RowSide& side) const {
    return displaced(side.first, (rows - 1) * side.pitch + row - 1);
  }
};

/// Where a kernel counts its completion, when everything that it moves is in place; nowhere if null. Kernels
/// with the same counter must run one after the other.
struct DeviceCounter {
  std::uint64_t* counter = nullptr;  ///< in device memory; the word after it is this counter's, too
  std::uint64_t* reached = nullptr;  ///< in host memory: gets the count, after what was moved

  /// Thread blocks of the kernel that have come to their end; 0 between kernels.
  TYPEWARP_HD std::uint32_t* ended() const { return reinterpret_cast<std::uint32_t*>(counter + 1); }
};

// Everything that moves bytes goes to the runtime through these functions, so that whoever follows a
// LaunchContext misses nothing. The context's device is current.

/// Whether what is enqueued is recorded into a graph.
bool recorded(const LaunchContext& context) noexcept;

/// The counter for a kernel of so many thread blocks that is launched next under the context; a null one if
/// nobody counts, or if not all blocks may run at once.
DeviceCounter counter_for(const LaunchContext& context, std::int64_t blocks);

/// By what a kernel is launched. Nobody but an emulated device needs the types of its parameters.
template <typename... Parameters>
const void* kernel_address(void (*kernel)(Parameters...)) {
#ifdef TYPEWARP_EMULATED
  return emulated::address_of(kernel);
#else
  return reinterpret_cast<const void*>(kernel);
#endif
}

/// `arguments` point to the kernel's parameters; `shared` is bytes of dynamic shared memory. Throws GpuError
/// if the launch fails.
void enqueue_kernel(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                    void** arguments, std::size_t shared = 0);
/// The same for a kernel that waits for what is before it in the stream itself, and may begin earlier.
/// Preconditions: not recorded(), and the device is prepared.
void enqueue_overlapping(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                         void** arguments);
/// The same for a kernel that counts, of two parameters: `move`, and a DeviceCounter.
void enqueue_counting(const LaunchContext& context, const void* kernel, std::int64_t blocks, int threads,
                      void* move, std::size_t shared = 0);

/// Why copy engines do not take a copy, most likely as a side is memory of several allocations; nothing was
/// enqueued then. Other errors are thrown.
using Refusal = std::optional<GpuError>;

/// By DMA.
Refusal enqueue_copy(const LaunchContext& context, void* to, const void* from, std::size_t bytes);
/// Precondition: not recorded().
Refusal enqueue_rows(const LaunchContext& context, const RowCopy& rows);

class Device;

/// Has Device::prepare() load the kernels of a family: an object of static storage beside them. The runtime
/// would load each kernel at its first launch, and wait there for the whole device.
class KernelLoader {
 public:
  using Load = void (*)(const Device&);

  explicit KernelLoader(Load load) noexcept : load_(load), next_(std::exchange(newest(), this)) {}
  KernelLoader& operator=(KernelLoader&&) = delete;

  /// Loads those of all families onto the device, which is current.
  static void load_all(const Device& device) {
    for (const KernelLoader* loader = newest(); loader != nullptr; loader = loader->next_)
      loader->load_(device);
  }

 private:
  static const KernelLoader*& newest() noexcept {
    static const KernelLoader* loader = nullptr;
    return loader;
  }

  Load load_;
  const KernelLoader* next_;
};

/// Loads a kernel onto the current device. `shared` is the bytes of dynamic shared memory that its blocks may
/// have, if that is more than they have unasked. Returns the compute capability, times 10, that its code was
/// compiled for.
int load_kernel(const void* kernel, int shared = 0);

}  // namespace typewarp::gpu
