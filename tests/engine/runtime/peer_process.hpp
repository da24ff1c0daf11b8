// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Another process with memory of its own on a GPU, which does as it is told: the program share_peer.
namespace typewarp::test {

/// What goes to the other process; `bytes` bytes follow a fill. Each is answered by one Answer.
struct Order {
  enum class What : std::int64_t { allocate, fill, share, read, free };
  What what;
  std::int64_t slot;    ///< of the allocation, counted from 0
  std::int64_t device;  ///< of allocate
  std::int64_t offset;  ///< of share
  std::int64_t bytes;
};

/// What comes back; the bytes asked for follow the answer to a read.
struct Answer {
  bool shared;  ///< by share
  gpu::SharedMemory memory;
  char reason[128];
};

/// Moves all of `bytes` over a socket; false where the other end closed it.
inline bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

inline bool receive_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(socket, bytes.data(), bytes.size(), MSG_WAITALL);
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

/// Ends the other process when destroyed. Throws std::runtime_error where that ended by itself, or is silent
/// for a minute.
class PeerProcess {
 public:
  PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  ~PeerProcess();

  /// Returns the slot, whose number no later allocation has.
  std::int64_t allocate(std::int64_t bytes, int device = 0);
  void fill(std::int64_t slot, std::span<const std::byte> bytes);
  std::optional<gpu::SharedMemory> share(std::int64_t slot, std::int64_t offset, std::int64_t bytes,
                                         std::string* reason = nullptr);
  std::vector<std::byte> read(std::int64_t slot, std::int64_t bytes);
  void free(std::int64_t slot);

 private:
  Answer ask(const Order& order, std::span<const std::byte> payload = {});

  int socket_ = -1;
  pid_t process_ = -1;
  std::int64_t slots_ = 0;
};

}  // namespace typewarp::test
