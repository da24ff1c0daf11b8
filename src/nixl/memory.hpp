// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nixl/back_end.hpp"

#include <typewarp/registered_memory.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace typewarp::nixl {

/// Memory of a GPU that this agent has registered.
class OwnMemory final : public NixlMetadata {
 public:
  /// Throws as RegisteredMemory.
  explicit OwnMemory(const NixlDescriptor& memory);

  std::byte* address() const noexcept { return address_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  int device() const noexcept { return device_; }
  /// What peers are told.
  std::string handle() const;
  /// Waits for what peers have under way. Throws as RegisteredMemory::end().
  void end() { registration_.end(); }

 private:
  std::byte* address_;
  std::int64_t bytes_;
  int device_;
  RegisteredMemory registration_;
};

/// Memory at the other end of a transfer, as a GPU of this process has it.
struct MappedMemory {
  std::byte* address = nullptr;
  int reader = -1;                     ///< the GPU that is to read it
  std::shared_ptr<RemoteMemory> peer;  ///< that it is of; null: it is this agent's own
};

/// Memory at the other end of transfers: of a peer, or of this agent.
class OtherMemory final : public NixlMetadata {
 public:
  /// Of this agent, which keeps it registered.
  explicit OtherMemory(const OwnMemory& own);
  /// Of a peer, which gave the handle as text. Opens nothing.
  explicit OtherMemory(const DescribedMemory& memory);

  /// The address that its process has for it.
  std::uintptr_t begin() const noexcept { return begin_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  /// For a GPU of this process, which maps memory of a peer the first time. Throws as RemoteMemory.
  const MappedMemory& find(int device);

 private:
  std::uintptr_t begin_;
  std::int64_t bytes_;
  std::vector<std::byte> handle_;      ///< empty: it is this agent's own
  std::map<int, MappedMemory> found_;  ///< by GPUs of this process
  MappedMemory own_;
};

}  // namespace typewarp::nixl
