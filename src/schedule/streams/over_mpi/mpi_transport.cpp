// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/dispatch.hpp"
#include "schedule/streams/host_transport.hpp"
#include "schedule/streams/over_mpi/mpi_group.hpp"
#include "transport/memory/host_buffer.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>

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

/// By persistent requests of the MPI.
class MpiTransport final : public HostTransport {
 public:
  MpiTransport(MPI_Comm comm, const Connections& connections, bool pinned);
  /// Cancels what has not come, and frees all requests.
  ~MpiTransport() override;

  const std::vector<PackedPart>& packed_on_stream() const noexcept override { return sends_.on_stream; }
  const std::vector<PackedPart>& unpacked_on_stream() const noexcept override { return receives_.on_stream; }
  bool allows_threads() const override;
  bool step(StartSignals& starts) override;
  bool sending() const noexcept override { return sending_; }
  int awaited_peer() const override;
  void abandon() noexcept override;

 private:
  /// What goes one way.
  struct OneWay {
    std::vector<PackedPart> on_stream, on_host;  ///< parts, by who packs or unpacks them
    std::vector<MPI_Request> requests;
    std::vector<int> peers;  ///< of each request
  };

  MpiTransport() = default;
  bool step_sends(StartSignals& starts);
  bool step_receives(StartSignals& starts);

  gpu::PinnedBuffer pinned_;
  transport::HostBuffer pageable_;
  OneWay sends_, receives_;
  bool sending_ = false, receiving_ = false, arrived_ = false;
  std::int64_t starts_begun_ = 0, starts_received_ = 0;
};

// Delegates so that the destructor frees what was made when this throws.
MpiTransport::MpiTransport(MPI_Comm comm, const Connections& connections, bool pinned) : MpiTransport() {
  constexpr int nobody = -1;  // what goes to this rank itself is carried as all else
  const schedule::PackedLayout sent(connections.sent.parts, nobody);
  const schedule::PackedLayout received(connections.received.parts, nobody, sent.end);
  if (received.end > 0 && pinned) pinned_ = gpu::PinnedBuffer(received.end);
  if (received.end > 0 && !pinned) pageable_ = transport::HostBuffer(received.end);
  std::byte* const memory = pinned ? pinned_.data() : pageable_.data();
  const auto add = [&](OneWay& made, const std::vector<Part>& parts, const schedule::PackedLayout& layout,
                       auto init, const char* name) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      (parts[i].on_stream() ? made.on_stream : made.on_host).push_back({parts[i], memory + layout.places[i]});
    }
    for (const schedule::PeerMessage& message : layout.messages) {
      for (std::int64_t begin = 0; begin < message.bytes; begin += longest_piece) {
        const auto bytes = static_cast<int>(std::min(longest_piece, message.bytes - begin));
        MPI_Request* const request = &made.requests.emplace_back(MPI_REQUEST_NULL);
        mpi::check(init(memory + message.begin + begin, bytes, MPI_BYTE, message.peer, tag, comm, request),
                   name);
        made.peers.push_back(message.peer);
      }
    }
  };
  add(sends_, connections.sent.parts, sent, MPI_Send_init, "MPI_Send_init");
  add(receives_, connections.received.parts, received, MPI_Recv_init, "MPI_Recv_init");
}

MpiTransport::~MpiTransport() {
  for (MPI_Request& request : receives_.requests) {
    if (receiving_ && !arrived_) {
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  for (MPI_Request& request : sends_.requests) {
    if (sending_) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
}

bool MpiTransport::allows_threads() const {
  int granted = MPI_THREAD_SINGLE;
  MPI_Query_thread(&granted);
  return granted == MPI_THREAD_MULTIPLE;
}

bool MpiTransport::step(StartSignals& starts) {
  const bool sends = step_sends(starts);
  const bool receives = step_receives(starts);
  return sends || receives;
}

bool MpiTransport::step_sends(StartSignals& starts) {
  const bool begins = !sending_;
  if (begins) {
    const auto displaced = starts.begun();
    if (!displaced) return false;
    for (const PackedPart& one : sends_.on_host) {
      engine::move_on_host({nullptr, one.part.bytes, one.data}, one.part.side(*displaced),
                           {0, one.part.bytes});
    }
    start_all(sends_.requests);
    sending_ = true;
    ++starts_begun_;
  }
  if (!all_done(sends_.requests)) return begins;
  sending_ = false;
  starts.sent();
  return true;
}

// What peers send ahead waits here, packed, for the start that it is for.
bool MpiTransport::step_receives(StartSignals& starts) {
  bool moved = false;
  if (!receiving_) {
    if (starts_received_ > 0 && !starts.unpacked()) return false;
    start_all(receives_.requests);
    receiving_ = true;
    moved = true;
  }
  if (!arrived_) arrived_ = all_done(receives_.requests);
  if (!arrived_ || starts_begun_ == starts_received_) return moved;
  for (const PackedPart& one : receives_.on_host) {
    engine::move_on_host(one.part.side(), {nullptr, one.part.bytes, one.data}, {0, one.part.bytes});
  }
  arrived_ = receiving_ = false;
  ++starts_received_;
  starts.received();
  return true;
}

int MpiTransport::awaited_peer() const {
  if (starts_begun_ == starts_received_ || !receiving_) return -1;
  for (std::size_t i = 0; i < receives_.requests.size(); ++i) {
    int done = 0;
    if (MPI_Request_get_status(receives_.requests[i], &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0)
      return receives_.peers[i];
  }
  return -1;
}

void MpiTransport::abandon() noexcept {
  sends_.requests.clear();
  receives_.requests.clear();
  sending_ = receiving_ = false;
  pinned_.abandon();
  pageable_.abandon();
}

}  // namespace

std::unique_ptr<HostTransport> MpiGroup::host_transport(const Connections& connections, bool pinned) {
  return std::make_unique<MpiTransport>(comm_.get(), connections, pinned);
}

}  // namespace typewarp::exchange
