// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/share.hpp"
#include "nixl/back_end.hpp"

#include <typewarp/registered_memory.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::nixl {

/// What peers are told of memory, with the handle of the agent's words.
struct MemoryTicket {
  gpu::SharedMemory memory;
  std::int64_t signal, number;  ///< which the signal has while it is registered
};

/// Words that an agent shares with its peers: which memory is registered, and what they have under way.
class AgentWords {
 public:
  /// For memory that is being registered. Throws Error where there is too much.
  MemoryTicket ticket(const gpu::SharedMemory& memory);
  /// Refuses peers the memory, and waits for what they have under way, with whichever memory. Others may use
  /// this meanwhile. Throws GpuError.
  void end(const MemoryTicket& ticket);
  /// What peers open.
  std::span<const std::byte> handle() const noexcept { return words_.handle(); }

 private:
  RegisteredMemory words_{{}, {.signals = RegisteredMemory::most_signals}};
  std::mutex mutex_;  ///< of the following
  std::vector<bool> used_ = std::vector<bool>(RegisteredMemory::most_signals);
  std::int64_t given_ = 0;
};

/// Memory of a GPU that this agent has registered.
class OwnMemory final : public NixlMetadata {
 public:
  /// Throws InvalidArgument for memory that cannot be shared; as AgentWords.
  OwnMemory(const NixlDescriptor& memory, AgentWords& words);

  std::byte* address() const noexcept { return address_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  int device() const noexcept { return device_; }
  /// What peers are told.
  std::string handle() const;
  /// As AgentWords::end().
  void end() { words_.end(ticket_); }

 private:
  std::byte* address_;
  std::int64_t bytes_;
  int device_;
  AgentWords& words_;
  MemoryTicket ticket_;
};

/// Memory of a peer, mapped for a GPU of this process.
struct MemoryOfPeer {
  std::shared_ptr<RemoteMemory> words;
  gpu::ImportedMemory memory;
  MemoryTicket ticket;

  bool is_registered() const { return words->signal(static_cast<int>(ticket.signal)) == ticket.number; }
};

/// Memory at the other end of a transfer, as a GPU of this process has it.
struct MappedMemory {
  std::byte* address = nullptr;
  int reader = -1;                     ///< the GPU that is to read it
  std::shared_ptr<MemoryOfPeer> peer;  ///< null: it is this agent's own
};

/// By handles and GPUs, so that each is opened once.
using PeersWords = std::map<std::pair<std::string, int>, std::weak_ptr<RemoteMemory>>;

/// Memory at the other end of transfers: of a peer, or of this agent.
class OtherMemory final : public NixlMetadata {
 public:
  /// Of this agent, which keeps it registered.
  explicit OtherMemory(const OwnMemory& own);
  /// Of a peer, which gave the handle as text. Opens nothing, nor looks at it.
  OtherMemory(const DescribedMemory& memory, PeersWords& words);

  /// The address that its process has for it.
  std::uintptr_t begin() const noexcept { return begin_; }
  std::int64_t bytes() const noexcept { return bytes_; }
  /// For a GPU of this process, which maps memory of a peer the first time. Throws as RemoteMemory.
  const MappedMemory& find(int device);

 private:
  std::uintptr_t begin_;
  std::int64_t bytes_;
  PeersWords* words_ = nullptr;  ///< null: it is this agent's own
  std::string handle_;
  std::map<int, MappedMemory> found_;  ///< by GPUs of this process
  MappedMemory own_;
};

}  // namespace typewarp::nixl
