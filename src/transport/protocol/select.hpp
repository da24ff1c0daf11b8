// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/tuning/profile.hpp"

#include <cstdint>

/// Which protocol a message goes by. All of that is decided here, from plain data.
namespace typewarp::transport {

/// What a sender knows of a message.
struct SendCase {
  std::int64_t bytes = 0;
  bool on_device = false;
  bool in_place = false;     ///< consecutive host memory, which the MPI may be given
  bool takes_rts = false;    ///< the receiver, as a rank of the Session
  bool ipc = false;          ///< ranks may read each other's memory of this kind where it lies
  bool named = false;        ///< the receiver can map all of it, and can be told its layout
  bool ring = false;         ///< the receiver reads rings of this rank
  std::int64_t threads = 1;  ///< that the sender may pack by
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
  bool rts_link = false;    ///< and with the length of fragments that the sender can give to a link
  bool ipc = false;         ///< this rank may read the sender's memory into this buffer
  bool may_read = false;    ///< the system lets this rank read the sender's host memory
  bool near = false;        ///< both lie with one device
  std::int64_t run = 0;     ///< bytes that cross a link together on average, at the end where they are fewer
};

enum class Way : std::uint8_t {
  eager,           ///< the packed stream as one message
  ring,            ///< through shared memory between host memory of ranks on one host
  get,             ///< read by the receiver where it lies
  ipc_fragments,   ///< packed by the sender, and unpacked by the receiver out of the sender's pool
  gpu_fragments,   ///< packed, and carried from device to device by a link
  host_fragments,  ///< packed, and carried by the MPI through host memory
};
const char* name(Way way) noexcept;

struct SendChoice {
  /// What the receiver will take if it can; it decides between get and fragments.
  Way way = Way::eager;
  const char* why = "";
  bool long_ring = false;
  bool offers_chunks = false;  ///< of the pool, besides

  bool announced() const noexcept { return way != Way::eager; }
};

/// Whether `named` makes a difference: to find it out takes time.
bool asks_for_name(const SendCase& message, const SessionOptions& options) noexcept;
/// `rings`: false where all rings are in use.
SendChoice select(const SendCase& message, const SessionOptions& options, const Profile& profile,
                  bool rings = true) noexcept;

struct ReceiveChoice {
  Way way;
  const char* why;
};
/// The best way that is behind `not_by` in the order of preference, for a message where that turned out to be
/// impossible; host_fragments comes last, and is always possible.
ReceiveChoice select(const ReceiveCase& message, const Profile& profile, Way not_by = Way::eager) noexcept;

/// Whether TYPEWARP_VERBOSE is 1: the choice of each message is printed to stderr then.
bool is_verbose() noexcept;
void print(const char* call, std::int64_t bytes, int peer, Way way, const char* why) noexcept;

}  // namespace typewarp::transport
