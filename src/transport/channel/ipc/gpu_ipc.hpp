// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/bounds.hpp"
#include "transport/buffer/copy_coalescer.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/memory/fixed_pool.hpp"

#include <memory>

namespace typewarp::transport {

/// A copy from another rank's memory, which stays mapped as long as this lives.
class IpcCopy {
 public:
  IpcCopy& operator=(IpcCopy&&) = delete;
  virtual ~IpcCopy() = default;

  /// Starts to copy the first `bytes` bytes of (count, plan). The mapped memory begins with the lowest byte
  /// of `span`. The copy may be gathered with others, as `message`; the plan must stay. Called once. Throws
  /// GpuError.
  virtual void start(const Plan& plan, std::int64_t count, const plan::Bounds& span, std::int64_t bytes,
                     CopyCoalescer::Candidate& message) = 0;
  /// Removes a copy that is not under way yet.
  virtual void withdraw() noexcept {}
  /// Whether nothing is under way, also if the copy was not started. Throws GpuError once if it failed.
  virtual bool done() = 0;
};

/// Another rank's pool, which stays mapped as long as this lives.
class IpcMapping {
 public:
  IpcMapping& operator=(IpcMapping&&) = delete;
  virtual ~IpcMapping() = default;

  /// Whether fragments are unpacked faster from a copy on the side's own device.
  virtual bool wants_near() const = 0;
  /// Unpacks the fragment that lies `place` bytes from the beginning, by way of memory at `near` if that is
  /// not null.
  virtual void unpack(ByteRange range, std::int64_t place, std::byte* near, std::optional<gpu::Event>& done,
                      std::int64_t number) = 0;
};

/// How ranks of one host read each other's memory.
class Ipc {
 public:
  Ipc& operator=(Ipc&&) = delete;
  virtual ~Ipc() = default;

  /// Whether this process can have such memory.
  virtual bool present() const = 0;
  /// A name for the bytes `span` of the side's buffer; nothing if others cannot map them.
  virtual std::optional<gpu::SharedMemory> name(const MessageBuffer& side,
                                                const plan::Bounds& span) const = 0;
  /// Whether this is for a side's kind of memory: it may have a name, be packed to memory of allocate(), and
  /// be the target of an IpcCopy.
  virtual bool shares(const MessageBuffer& side) const = 0;
  /// Maps memory for a copy to this side, which must outlive the copy; null if that fails. Throws
  /// InvalidArgument for a name that cannot be, GpuError.
  virtual std::unique_ptr<IpcCopy> map(const gpu::SharedMemory& memory,
                                       const MessageBuffer& destination) const = 0;

  /// Allocates memory on the side's device that others can map; nothing if that fails.
  virtual std::optional<PoolMemory> allocate(const MessageBuffer& side, std::int64_t bytes) const = 0;
  /// As map(), for another rank's memory of allocate().
  virtual std::unique_ptr<IpcMapping> map_chunks(const gpu::SharedMemory& memory,
                                                 const MessageBuffer& destination) const = 0;
  /// Whether this memory is on the side's device.
  virtual bool near(const gpu::SharedMemory& memory, const MessageBuffer& side) const = 0;
  /// Whether `bytes` bytes come to a side sooner by copy engines, through host memory, than by kernels: these
  /// wait for a turn where processes take turns on the side's device. `of_another`: memory of another
  /// process, which tells of such a process if it lies with that device; may be null. Throws GpuError.
  virtual bool prefers_engines(const MessageBuffer& side, std::int64_t bytes,
                               const gpu::SharedMemory* of_another) const = 0;
};

/// For device memory.
const Ipc& gpu_ipc();

}  // namespace typewarp::transport
