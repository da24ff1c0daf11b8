// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/bounds.hpp"
#include "transport/buffer/copy_coalescer.hpp"
#include "transport/buffer/message_buffer.hpp"
#include "transport/memory/fixed_pool.hpp"

#include <memory>

namespace typewarp::transport {

/// A copy from another rank's memory, which is mapped for as long as this lives.
class IpcCopy {
 public:
  IpcCopy() = default;
  IpcCopy(const IpcCopy&) = delete;
  IpcCopy& operator=(const IpcCopy&) = delete;
  virtual ~IpcCopy() = default;

  /// Starts the copy of the first `bytes` bytes of (count, plan), which lie within `span` of the buffer: what
  /// was mapped is the lowest of them. `message` may be gathered with others then; the plan must stay. Called
  /// once. Throws GpuError.
  virtual void start(const Plan& plan, std::int64_t count, const plan::Bounds& span, std::int64_t bytes,
                     CopyCoalescer::Candidate& message) = 0;
  /// Does away with what is not under way yet.
  virtual void withdraw() noexcept {}
  /// Whether nothing of the copy is under way, also where it was not started or that failed. Throws
  /// GpuError, once, for what failed.
  virtual bool done() = 0;
};

/// Chunks of another rank, which are mapped for as long as this lives.
class IpcMapping {
 public:
  IpcMapping() = default;
  IpcMapping(const IpcMapping&) = delete;
  IpcMapping& operator=(const IpcMapping&) = delete;
  virtual ~IpcMapping() = default;

  /// Whether fragments are unpacked sooner by way of memory that is near to the side, than straight out of
  /// the chunk.
  virtual bool wants_near() const = 0;
  /// As Side::unpack(), of what lies `place` bytes from the beginning; by way of `near` if it is not null,
  /// where there is room for it.
  virtual void unpack(ByteRange range, std::int64_t place, std::byte* near, std::optional<gpu::Event>& done,
                      std::int64_t number) = 0;
};

/// How a side's memory is read by other ranks of the host.
class Ipc {
 public:
  Ipc() = default;
  Ipc(const Ipc&) = delete;
  Ipc& operator=(const Ipc&) = delete;
  virtual ~Ipc() = default;

  /// Whether there may be such memory in this process.
  virtual bool present() const = 0;
  /// The name of bytes `span` from the side's buffer on; nothing where others cannot read them.
  virtual std::optional<gpu::SharedMemory> name(const MessageBuffer& side,
                                                const plan::Bounds& span) const = 0;
  /// Whether a side's memory is of the kind that this is for: that may have a name, be packed to what
  /// allocate() gives, and be written to by a Reading.
  virtual bool shares(const MessageBuffer& side) const = 0;
  /// Null if the memory cannot be mapped for this side, which must outlive what is returned. Throws
  /// InvalidArgument for what is no name, GpuError.
  virtual std::unique_ptr<IpcCopy> map(const gpu::SharedMemory& memory,
                                       const MessageBuffer& destination) const = 0;

  /// `bytes` bytes where the side is, nothing if there are none to be had or others cannot map them.
  virtual std::optional<DeviceMemory> allocate(const MessageBuffer& side, std::int64_t bytes) const = 0;
  /// As map(), of what another rank got of allocate().
  virtual std::unique_ptr<IpcMapping> map_chunks(const gpu::SharedMemory& memory,
                                                 const MessageBuffer& destination) const = 0;
  /// Whether a side's bytes lie with the device that has this memory.
  virtual bool near(const gpu::SharedMemory& memory, const MessageBuffer& side) const = 0;
  /// Whether `bytes` bytes come to a side sooner by copy engines, through host memory, than by kernels: these
  /// wait for a turn where processes take turns on the side's device. `of_another`: memory of another
  /// process, which tells of such a process if it lies with that device; may be null. Throws GpuError.
  virtual bool prefers_engines(const MessageBuffer& side, std::int64_t bytes,
                               const gpu::SharedMemory* of_another) const = 0;
};

/// That of the GPUs.
const Ipc& gpu_ipc();

}  // namespace typewarp::transport
