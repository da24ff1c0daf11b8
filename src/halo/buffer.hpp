// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/halo.hpp>

#include <memory>

namespace typewarp::halo {

/// Where each of the fields is; in host memory, all of them, where there is no GPU.
std::vector<PointerInfo> memory_of(std::span<const Field> fields);
/// Whether that is one kind of memory, and of one device if it is a device's.
bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept;
/// The device that has fields; -1 if all are in host memory. Throws InvalidArgument that names
/// "fields[i].data" where several devices have memory of their own: an exchange is enqueued on one stream.
int device_of(std::span<const PointerInfo> memory);

/// Whether a Session takes device memory to all of these ranks of `comm` from where it lies.
bool reached_by_devices(std::span<const int> ranks, MPI_Comm comm);
/// Whether a Session reaches all of these ranks of `comm` on this host, memory to memory: device memory, or
/// host memory.
bool reached_in_place(std::span<const int> ranks, MPI_Comm comm, bool devices);

/// Memory for packed bytes: of the host, page-locked or of a device.
class Buffer {
 public:
  Buffer() = default;
  /// Of a device if `on_device`, else where `device` gets at it best; of no bytes: none.
  Buffer(std::int64_t bytes, int device, bool on_device);

  std::byte* data() const noexcept { return memory_.get(); }
  /// Gives the memory up for good: for where messages that failed may still use it.
  void abandon();

 private:
  std::shared_ptr<std::byte> memory_;
};

}  // namespace typewarp::halo
