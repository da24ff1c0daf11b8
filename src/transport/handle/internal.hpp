// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/probe.hpp>
#include <typewarp/session.hpp>

#include <memory>
#include <new>

/// What the interposer and the tuner do with the objects of the public headers, and their users do not.
namespace typewarp::transport {

struct Internal {
  using Operation = Request::Operation;
  using Arguments = Request::Arguments;

  static Request request(std::shared_ptr<Operation> operation) noexcept {
    return Request(std::move(operation));
  }
  static Request request(std::shared_ptr<const Arguments> arguments) noexcept {
    return Request(std::move(arguments));
  }
  using Found = Message::State;
  static Message message(std::unique_ptr<Found> found, const Status& status) noexcept;
  static Found& found(Message& message) noexcept { return *message.state_; }
  static std::unique_ptr<typewarp::Session> mixed(MPI_Comm comm, const SessionOptions& options) {
    return std::unique_ptr<typewarp::Session>(new typewarp::Session(comm, &options, true));
  }
  static typewarp::Session* mixed_in(void* room, MPI_Comm comm) {
    return ::new (room) typewarp::Session(comm, nullptr, true);
  }
  static const SessionState& state(const typewarp::Session& session) noexcept { return *session.session_; }
};

/// As the Session's constructor, for ranks that also send by calls of the MPI's, messages of any length,
/// which are received here as they come. Then a receive has room for its whole message from the start, in
/// pageable memory beyond the eager limit, and on one host no driver is started before a message needs it.
/// Each receive of 509 bytes or more must be a call of this library. It has a progress thread.
inline std::unique_ptr<typewarp::Session> mixed(MPI_Comm comm, const SessionOptions& options) {
  return Internal::mixed(comm, options);
}
/// The same in memory that has been had before, with the options from_environment(): so nothing can fail in
/// this rank that the others do not hear of.
inline typewarp::Session* mixed_in(void* room, MPI_Comm comm) { return Internal::mixed_in(room, comm); }
/// Collective with the above, in a rank that cannot make a Session: it fails in all. Throws MpiError.
void refuse_session(MPI_Comm comm);

/// Of a message that a program's own MPI_Mprobe or MPI_Improbe has matched: `message` is null afterwards. Not
/// for messages that may be announced by a Session's sender. Throws InvalidArgument for MPI_MESSAGE_NULL.
Message adopt(MPI_Message& message);
/// The reverse, of one that has been adopted and not been received.
MPI_Message given_back(Message&& message) noexcept;
/// Of one that improbe() or mprobe() of the Session found on `comm`: the next one finds it again.
void put_back(Message&& message, MPI_Comm comm) noexcept;

/// In how many fragments a message of `bytes` bytes goes direct, where it does not go at once: what is left
/// over counts as a part of one. For who measures what a fragment costs. Throws InvalidArgument for negative
/// `bytes`.
double direct_fragments(const typewarp::Session& session, std::int64_t bytes);

}  // namespace typewarp::transport
