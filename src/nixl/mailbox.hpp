// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/memory_file.hpp"
#include "nixl/back_end.hpp"

#include <typewarp/error.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace typewarp::nixl {

/// A peer has ended, or what it had registered.
class Disconnected : public Error {
 public:
  using Error::Error;
};

/// Messages between agents of one user on one host, by sockets that only this host's processes reach
/// (unix(7), SOCK_SEQPACKET, names of the abstract kind). Nothing waits for a peer. What a peer sends arrives
/// in order. Not thread safe.
class Mailbox {
 public:
  /// Of a message.
  static constexpr std::size_t most_bytes = 128 << 10;

  /// Throws InvalidArgument for a message that is too long.
  static void check_length(std::string_view message);

  /// Messages can be sent to `agent` itself from the start. Throws InvalidArgument for a name that is longer
  /// than a message, Error.
  explicit Mailbox(std::string agent);

  /// What others connect to. Plain text.
  const std::string& address() const noexcept { return address_; }
  /// False unless the address is a mailbox of this user and this host, in the same container. Otherwise
  /// messages can be sent to `agent` from then on. Throws Error.
  bool connect(const std::string& agent, const std::string& address);
  bool knows(const std::string& agent) const { return peers_.contains(agent); }
  /// Messages that are kept for it are lost.
  void disconnect(const std::string& agent) { peers_.erase(agent); }

  /// Keeps what the peer has no room for, until a later call finds some. Throws InvalidArgument for a message
  /// that is too long, Disconnected where the peer is not connected or gone.
  void send(const std::string& agent, std::string_view message);
  /// Sends what is kept, as far as there is room. A peer that is gone is disconnected. Whether all is sent.
  bool flush();
  /// Appends what has come. Throws Error.
  void take(NixlMessages& messages);

 private:
  struct Peer {
    FileDescriptor socket;
    std::deque<std::string> kept;  ///< not sent yet
  };
  struct Sender {
    FileDescriptor socket;
    std::string agent;  ///< its first message
    bool is_named = false;
  };
  enum class Sent { whole, later, gone };

  static Sent send_kept(Peer& peer);
  /// Whether there are any.
  bool accept_all();
  /// Whether more may come later.
  bool take_all(Sender& sender, NixlMessages& messages);

  std::string agent_, address_;
  FileDescriptor listening_;
  std::map<std::string, Peer> peers_;
  std::vector<Sender> senders_;
  std::vector<char> room_;  ///< for the longest message
};

}  // namespace typewarp::nixl
