// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/mailbox.hpp"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace typewarp::nixl {
namespace {

constexpr std::string_view prefix = "typewarp-nixl-";

[[noreturn]] void fail(const char* call) {
  throw Error(std::string("typewarp: ") + call + " failed: " + std::strerror(errno));
}

/// A name that nobody else has.
std::string unused_name() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) fail("getrandom");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string name(prefix);
  for (const unsigned char byte : bytes) {
    name += digits[byte >> 4U];
    name += digits[byte & 15U];
  }
  return name;
}

FileDescriptor new_socket() {
  FileDescriptor made(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made) fail("socket");
  constexpr int room = 4 * Mailbox::most_bytes;
  if (setsockopt(made.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room) != 0) fail("setsockopt");
  int got = 0;
  socklen_t bytes = sizeof got;
  if (getsockopt(made.get(), SOL_SOCKET, SO_SNDBUF, &got, &bytes) != 0) fail("getsockopt");
  if (got < 2 * static_cast<int>(Mailbox::most_bytes))
    throw Error(std::string(caller) + ": net.core.wmem_max is less than notifications may need");
  return made;
}

/// The address of the abstract kind: it begins with a zero, and no file has it.
struct Address {
  sockaddr_un what{};
  socklen_t bytes;

  explicit Address(const std::string& name)
      : bytes(static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) {
    what.sun_family = AF_UNIX;
    std::memcpy(what.sun_path + 1, name.data(), name.size());
  }
  static bool fits(std::string_view name) noexcept {
    return name.starts_with(prefix) && name.size() < sizeof(sockaddr_un::sun_path);
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&what); }
};

/// As it travels: with a byte before it, as an empty one would look like the end.
std::string framed(std::string_view message) { return std::string(1, '.').append(message); }

/// Whether the process at the other end is of this user, and has a number here: processes of other containers
/// that share the network have none, and nobody can open their memory.
bool is_known_process(const FileDescriptor& connected) noexcept {
  ucred credentials{};
  socklen_t bytes = sizeof credentials;
  return getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) == 0 &&
         credentials.uid == geteuid() && credentials.pid > 0;
}

}  // namespace

Mailbox::Mailbox(std::string agent)
    : agent_(std::move(agent)), address_(unused_name()), listening_(new_socket()), room_(most_bytes + 1) {
  check_length(agent_);
  const Address address(address_);
  if (bind(listening_.get(), address.get(), address.bytes) != 0) fail("bind");
  if (listen(listening_.get(), SOMAXCONN) != 0) fail("listen");
  if (!connect(agent_, address_)) throw Error("typewarp: an agent cannot connect to itself");
}

void Mailbox::check_length(std::string_view message) {
  if (message.size() <= most_bytes) return;
  throw InvalidArgument(caller, "notification or name", static_cast<long long>(message.size()),
                        "bytes: must have at most " + std::to_string(most_bytes));
}

bool Mailbox::connect(const std::string& agent, const std::string& address) {
  if (!Address::fits(address)) return false;
  const Address there(address);
  Peer peer{new_socket(), {}};
  if (::connect(peer.socket.get(), there.get(), there.bytes) != 0) {
    if (errno == ECONNREFUSED) return false;
    if (errno == EAGAIN) throw Error("typewarp: agent " + agent + " has too many connections to accept");
    fail("connect");
  }
  if (!is_known_process(peer.socket)) return false;
  peer.kept.push_back(framed(agent_));
  if (send_kept(peer) == Sent::gone) return false;
  peers_.insert_or_assign(agent, std::move(peer));
  return true;
}

Mailbox::Sent Mailbox::send_kept(Peer& peer) {
  while (!peer.kept.empty()) {
    const std::string& first = peer.kept.front();
    if (::send(peer.socket.get(), first.data(), first.size(), MSG_NOSIGNAL) >= 0) {
      peer.kept.pop_front();
    } else if (errno != EINTR) {
      return errno == EAGAIN || errno == ENOBUFS ? Sent::later : Sent::gone;
    }
  }
  return Sent::whole;
}

void Mailbox::send(const std::string& agent, std::string_view message) {
  check_length(message);
  const auto peer = peers_.find(agent);
  if (peer == peers_.end()) throw Disconnected("typewarp: agent " + agent + " is not connected");
  peer->second.kept.push_back(framed(message));
  if (send_kept(peer->second) != Sent::gone) return;
  peers_.erase(peer);
  throw Disconnected("typewarp: agent " + agent + " is gone");
}

bool Mailbox::flush() {
  bool all = true;
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    const Sent sent = send_kept(peer->second);
    all = all && sent != Sent::later;
    peer = sent == Sent::gone ? peers_.erase(peer) : std::next(peer);
  }
  return all;
}

void Mailbox::take(NixlMessages& messages) {
  const auto take_from_all = [&] {
    std::erase_if(senders_, [&](Sender& sender) { return !take_all(sender, messages); });
  };
  const std::size_t before = messages.size();
  take_from_all();
  try {
    if (accept_all()) take_from_all();
  } catch (const Error&) {
    if (messages.size() == before) throw;  // where that fails NIXL drops what has come
  }
}

bool Mailbox::accept_all() {
  const std::size_t before = senders_.size();
  while (true) {
    FileDescriptor accepted(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted && is_known_process(accepted)) {
      senders_.push_back({std::move(accepted), {}});
    } else if (!accepted && errno != EINTR && errno != ECONNABORTED) {
      if (errno != EAGAIN) fail("accept");
      return senders_.size() > before;
    }
  }
}

bool Mailbox::take_all(Sender& sender, NixlMessages& messages) {
  constexpr int most_at_a_time = 1024;  // one that never stops must not keep this agent
  for (int i = 0; i < most_at_a_time; ++i) {
    const ssize_t bytes = recv(sender.socket.get(), room_.data(), room_.size(), MSG_TRUNC);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return bytes < 0 && errno == EAGAIN;
    if (static_cast<std::size_t>(bytes) > room_.size()) return false;  // no mailbox sends this
    std::string message(room_.data() + 1, static_cast<std::size_t>(bytes) - 1);
    if (std::exchange(sender.is_named, true)) {
      messages.emplace_back(sender.agent, std::move(message));
    } else {
      sender.agent = std::move(message);
    }
  }
  return true;
}

}  // namespace typewarp::nixl
