// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/peer_process.hpp"

#include <gtest/gtest.h>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace typewarp::test {

PeerProcess::PeerProcess() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
  socket_ = ends[0];
  const timeval minute{60, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &minute, sizeof(minute));
  // A new program, not a fork: CUDA does not survive that.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  std::string path = TYPEWARP_SHARE_PEER;
  char* arguments[] = {path.data(), nullptr};
  const int status = posix_spawn(&process_, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (status != 0) {
    close(socket_);
    throw std::runtime_error("cannot start " + path);
  }
}

PeerProcess::~PeerProcess() {
  close(socket_);
  int status = 0;
  EXPECT_EQ(waitpid(process_, &status, 0), process_);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the other process ended with " << status;
}

Answer PeerProcess::ask(const Order& order, std::span<const std::byte> payload) {
  Answer answer;
  if (!send_all(socket_, std::as_bytes(std::span(&order, 1))) || !send_all(socket_, payload) ||
      !receive_all(socket_, std::as_writable_bytes(std::span(&answer, 1)))) {
    throw std::runtime_error("the other process does not answer");
  }
  return answer;
}

std::int64_t PeerProcess::allocate(std::int64_t bytes, int device) {
  ask({Order::What::allocate, slots_, device, 0, bytes});
  return slots_++;
}

void PeerProcess::fill(std::int64_t slot, std::span<const std::byte> bytes) {
  ask({Order::What::fill, slot, 0, 0, std::ssize(bytes)}, bytes);
}

std::optional<gpu::SharedMemory> PeerProcess::share(std::int64_t slot, std::int64_t offset,
                                                    std::int64_t bytes, std::string* reason) {
  const Answer answer = ask({Order::What::share, slot, 0, offset, bytes});
  if (answer.shared) return answer.memory;
  if (reason != nullptr) *reason = answer.reason;
  return std::nullopt;
}

std::vector<std::byte> PeerProcess::read(std::int64_t slot, std::int64_t bytes) {
  ask({Order::What::read, slot, 0, 0, bytes});
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  if (!receive_all(socket_, result)) throw std::runtime_error("the other process does not answer");
  return result;
}

void PeerProcess::free(std::int64_t slot) { ask({Order::What::free, slot, 0, 0, 0}); }

}  // namespace typewarp::test
