// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/found_memory.hpp"

#include "engine/host/no_signals.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>

namespace typewarp::interpose {
namespace {

constexpr int most_names = 4;
// With each of them: for its owner to listen, and then to answer.
constexpr std::chrono::seconds patience_with_a_name{3};
constexpr std::chrono::milliseconds rest_between_visits{1};

/// A name of the abstract kind; too long a one is told from others by a hash.
struct SocketAddress {
  explicit SocketAddress(std::string name) {
    constexpr std::size_t room = sizeof address.sun_path - 1;
    if (name.size() > room) {
      const std::string hash = std::to_string(std::hash<std::string>{}(name));
      name.replace(room - hash.size(), std::string::npos, hash);
    }
    std::ranges::copy(name, &address.sun_path[1]);
    bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }

  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  socklen_t bytes;
};

FileDescriptor make_socket() noexcept {
  return FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

/// Whether this user has the other end, as the system says.
bool is_own(const FileDescriptor& socket) noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

/// A message of one byte, with which a descriptor goes.
struct Parcel {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{.msg_name = nullptr,
                 .msg_namelen = 0,
                 .msg_iov = &data,
                 .msg_iovlen = 1,
                 .msg_control = control.data(),
                 .msg_controllen = control.size(),
                 .msg_flags = 0};
};

void hand_out(const FileDescriptor& visitor, int file) noexcept {
  Parcel parcel;
  cmsghdr* const header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  sendmsg(visitor.get(), &parcel.message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

FileDescriptor handed_out(const FileDescriptor& socket) noexcept {
  Parcel parcel;
  if (recvmsg(socket.get(), &parcel.message, MSG_CMSG_CLOEXEC) != 1) return {};
  const cmsghdr* const header = CMSG_FIRSTHDR(&parcel.message);
  int file = -1;
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof file))
    return {};
  std::memcpy(&file, CMSG_DATA(header), sizeof file);
  return FileDescriptor(file);
}

// Shutting the socket down wakes it. What is short for a moment, such as descriptors, comes back; while
// none is free, accept4 does not tell that the socket was shut down.
void serve(const std::stop_token& stop, int socket, int file) noexcept {
  while (!stop.stop_requested()) {
    const FileDescriptor visitor(accept4(socket, nullptr, nullptr, SOCK_CLOEXEC));
    if (visitor && is_own(visitor)) hand_out(visitor, file);
    if (!visitor) std::this_thread::sleep_for(rest_between_visits);
  }
}

// Otherwise it may wait for a queue that nobody empties, and for an answer, for ever.
bool is_patient(const FileDescriptor& socket) noexcept {
  const timeval limit{std::chrono::seconds(patience_with_a_name).count(), 0};
  return setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
         setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
}

enum class Visit { served, refused, foreign };

/// What whoever has the name gives.
Visit visit(const SocketAddress& address, FileDescriptor& file, std::int64_t bytes) noexcept {
  const FileDescriptor socket(make_socket());
  if (!socket || !is_patient(socket) || connect(socket.get(), address.get(), address.bytes) != 0)
    return Visit::refused;
  if (!is_own(socket)) return Visit::foreign;
  file = handed_out(socket);
  return file && is_memory_file(file, bytes) ? Visit::served : Visit::refused;
}

}  // namespace

Door::Door(FileDescriptor socket, int file) : socket_(std::move(socket)) {
  const host::NoSignals no_signals;
  thread_ = std::jthread(
      [listening = socket_.get(), file](const std::stop_token& stop) { serve(stop, listening, file); });
}

Door::~Door() {
  thread_.request_stop();
  shutdown(socket_.get(), SHUT_RDWR);
  thread_.join();
}

std::optional<FoundMemory> FoundMemory::of(const std::string& name, std::int64_t bytes) {
  for (int number = 0; number < most_names; ++number) {
    const SocketAddress address(name + "-" + std::to_string(number));
    const auto end = std::chrono::steady_clock::now() + patience_with_a_name;
    do {
      FileDescriptor own(make_socket());
      if (!own) return std::nullopt;
      if (bind(own.get(), address.get(), address.bytes) == 0) {
        FileDescriptor file(make_memory_file(bytes));
        if (!file || listen(own.get(), SOMAXCONN) != 0) return std::nullopt;
        auto door = std::make_unique<Door>(std::move(own), file.get());
        return FoundMemory(std::move(file), std::move(door));
      }
      if (errno != EADDRINUSE) return std::nullopt;
      FileDescriptor file;
      const Visit seen = visit(address, file, bytes);
      if (seen == Visit::served) return FoundMemory(std::move(file), nullptr);
      if (seen == Visit::foreign) break;
      std::this_thread::sleep_for(rest_between_visits);  // it may not listen yet, or not any more
    } while (std::chrono::steady_clock::now() < end);
  }
  return std::nullopt;
}

}  // namespace typewarp::interpose
