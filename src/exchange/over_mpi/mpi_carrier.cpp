// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/over_mpi/mpi_carrier.hpp"

#include "engine/dispatch.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::exchange {
namespace {

/// MPI counts bytes by an int: longer messages go in pieces.
constexpr std::int64_t longest_piece = std::int64_t{1} << 30;
constexpr int tag = 0;

bool all_done(std::vector<MPI_Request>& requests) {
  int done = 0;
  mpi::check(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
             "MPI_Testall");
  return done != 0;
}

/// One after the other: pieces of one message match by their order, which MPI_Startall leaves open.
void start_all(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) mpi::check(MPI_Start(&request), "MPI_Start");
}

}  // namespace

// Delegates so that the destructor frees what was made when this throws.
MpiCarrier::MpiCarrier(MPI_Comm comm, const Links& links, bool pinned) : MpiCarrier() {
  constexpr int nobody = -1;  // what goes to this rank itself is carried as all else
  const schedule::PackedLayout sent(links.sent.parts, nobody);
  const schedule::PackedLayout received(links.received.parts, nobody, sent.end);
  if (received.end > 0 && pinned) pinned_ = gpu::PinnedBuffer(received.end);
  if (received.end > 0 && !pinned) pageable_ = transport::HostBuffer(received.end);
  std::byte* const memory = pinned ? pinned_.data() : pageable_.data();
  const auto add = [&](const std::vector<Part>& parts, const schedule::PackedLayout& layout,
                       std::vector<Packed>& on_stream, std::vector<Packed>& on_host, auto request_for) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      (parts[i].on_stream() ? on_stream : on_host).push_back({parts[i], memory + layout.places[i]});
    }
    for (const schedule::Message& message : layout.messages) {
      for (std::int64_t begin = 0; begin < message.bytes; begin += longest_piece) {
        const std::int64_t bytes = std::min(longest_piece, message.bytes - begin);
        request_for(message.peer, memory + message.begin + begin, static_cast<int>(bytes));
      }
    }
  };
  add(links.sent.parts, sent, stream_sends_, host_sends_, [&](int peer, std::byte* data, int bytes) {
    MPI_Request* const request = &sends_.emplace_back(MPI_REQUEST_NULL);
    mpi::check(MPI_Send_init(data, bytes, MPI_BYTE, peer, tag, comm, request), "MPI_Send_init");
  });
  add(links.received.parts, received, stream_receives_, host_receives_,
      [&](int peer, std::byte* data, int bytes) {
        MPI_Request* const request = &receives_.emplace_back(MPI_REQUEST_NULL);
        mpi::check(MPI_Recv_init(data, bytes, MPI_BYTE, peer, tag, comm, request), "MPI_Recv_init");
        senders_.push_back(peer);
      });
}

MpiCarrier::~MpiCarrier() {
  for (MPI_Request& request : receives_) {
    if (receiving_ && !arrived_) {
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  for (MPI_Request& request : sends_) {
    if (sending_) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

bool MpiCarrier::allows_threads() const {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  return granted == MPI_THREAD_MULTIPLE;
}

bool MpiCarrier::step(Turns& turns) {
  const bool sends = step_sends(turns);
  const bool receives = step_receives(turns);
  return sends || receives;
}

bool MpiCarrier::step_sends(Turns& turns) {
  const bool begins = !sending_;
  if (begins) {
    const auto displaced = turns.begun();
    if (!displaced) return false;
    for (const Packed& one : host_sends_) {
      engine::move_on_host({nullptr, one.part.bytes, one.data}, one.part.side(*displaced),
                           {0, one.part.bytes});
    }
    start_all(sends_);
    sending_ = true;
    ++starts_begun_;
  }
  if (!all_done(sends_)) return begins;
  sending_ = false;
  turns.sent();
  return true;
}

// What peers send ahead waits here, packed, for the start that it is for.
bool MpiCarrier::step_receives(Turns& turns) {
  bool moved = false;
  if (!receiving_) {
    if (starts_received_ > 0 && !turns.unpacked()) return false;
    start_all(receives_);
    receiving_ = true;
    moved = true;
  }
  if (!arrived_) arrived_ = all_done(receives_);
  if (!arrived_ || starts_begun_ == starts_received_) return moved;
  for (const Packed& one : host_receives_) {
    engine::move_on_host(one.part.side(), {nullptr, one.part.bytes, one.data}, {0, one.part.bytes});
  }
  arrived_ = receiving_ = false;
  ++starts_received_;
  turns.received();
  return true;
}

int MpiCarrier::awaited_peer() const {
  if (starts_begun_ == starts_received_ || !receiving_) return -1;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    int done = 0;
    if (MPI_Request_get_status(receives_[i], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0)
      return senders_[i];
  }
  return -1;
}

void MpiCarrier::abandon() noexcept {
  sends_.clear();
  receives_.clear();
  sending_ = receiving_ = false;
  pinned_.abandon();
  pageable_.abandon();
}

}  // namespace typewarp::exchange
