// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/tuning/profile.hpp"

#include <cstdint>

/// Which protocol a message goes by. All of that is decided here, from plain data.
namespace typewarp::transport {

struct ProtocolRow;

/// What a sender knows of a message.
struct SendCase {
  std::int64_t bytes = 0;
  bool on_device = false;
  bool in_place = false;                ///< consecutive host memory, which the MPI may be given
  bool takes_rts = false;               ///< the receiver, as a rank of the Session
  bool ipc = false;                     ///< ranks may read each other's memory of this kind where it lies
  bool ring = false;                    ///< the receiver reads rings of this rank
  Protocol link = Protocol::automatic;  ///< that of the link which carries the memory; automatic: none does
};

/// What a receiver knows of a message that was announced.
struct ReceiveCase {
  std::int64_t bytes = 0;
  bool fits = false;  ///< into the receiver's buffer
  bool on_device = false;
  bool in_place = false;
  bool rts_ring = false;    ///< it was announced with a ring,
  bool rts_data = false;    ///< with the address of consecutive host memory,
  bool rts_whole = false;   ///< with a key to all of it,
  bool rts_chunks = false;  ///< with a key to the sender's pool,
  Protocol rts_link =
      Protocol::automatic;  ///< and with the length of fragments that the sender gives to this
  bool ipc = false;         ///< this rank may read the sender's memory into this buffer
  bool may_read = false;    ///< the system lets this rank read the sender's host memory
  bool near = false;        ///< both lie with one device
  bool by_engines = false;  ///< kernels would wait for a turn, and copy engines move it through host memory
  std::int64_t run = 0;     ///< bytes that cross a link together on average, at the end where they are fewer
};

struct Choice {
  const ProtocolRow* by = nullptr;
  const char* why = "";
};

/// What has been chosen for a message within a Session.
struct SendPath {
  SendCase message;
  int receiver;  ///< in the private communicator; MPI_UNDEFINED if it takes no announcements
  Choice choice;
};

/// The first protocol of the table that is eligible, behind `after` if that is not null: one that turned out
/// to be impossible for this message.
Choice select(const SendCase& message, const SessionOptions& options, const Profile& profile,
              const ProtocolRow* after = nullptr) noexcept;
Choice select(const ReceiveCase& message, const Profile& profile,
              const ProtocolRow* after = nullptr) noexcept;

/// Whether a message is short enough to go as one that is not announced.
bool is_plain(const SendCase& message, const SessionOptions& options) noexcept;

/// Says on stderr what was chosen for a message, if TYPEWARP_VERBOSE is 1.
void tell(const char* call, std::int64_t bytes, int peer, const Choice& choice) noexcept;

}  // namespace typewarp::transport
