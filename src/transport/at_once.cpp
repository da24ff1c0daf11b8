// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/at_once.hpp"

#include "transport/core.hpp"
#include "transport/progress.hpp"
#include "transport/receive.hpp"
#include "transport/rendezvous.hpp"
#include "transport/through_ring.hpp"
#include "transport/traffic.hpp"
#include "transport/truncated.hpp"

#include <typewarp/host.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <thread>

namespace typewarp::transport {
namespace {

constexpr int one_thread = 1;

/// Where this may be done at all.
struct Setting {
  Core* core = nullptr;
  CommState* comm = nullptr;

  explicit operator bool() const noexcept { return comm != nullptr; }
};

Setting setting_of(const Peer& peer) {
  Core* const core = sole();
  if (core == nullptr || peer.rank == MPI_PROC_NULL || !core->at_rest()) return {};
  CommState* const comm = core->ranks.known_last(peer.comm);
  return {core, comm != nullptr && comm->pending.empty() ? comm : nullptr};
}

/// Host memory that no stream is using: pageable memory, which orders with none, or pinned. A stream that is
/// not one is found out, for the latter, where nothing has been received yet.
bool usable(const Route& route, Stream stream) {
  if (route.kind == Route::Kind::device) return false;
  return !route.in_stream_order || cuda::idle(stream);
}

/// Looks for what another process does in shared memory.
class Looks {
 public:
  explicit Looks(MPI_Comm comm) noexcept : comm_(comm) {}

  void another() {
    if (++looks_ % between_yields != 0) return;
    int there = 0;  // the MPI may still have to move what it was given
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &there, MPI_STATUS_IGNORE);
    std::this_thread::yield();  // ranks may outnumber processors
  }

 private:
  /// Some microseconds: whoever yields notices an answer half a microsecond late.
  static constexpr int between_yields = 2048;

  MPI_Comm comm_;
  int looks_ = 0;
};

/// Writes until there is an answer; `failure` is what failed meanwhile.
Clearance answer_to(RingWriter& writer, MPI_Comm comm, std::exception_ptr& failure) {
  Looks looks(comm);
  for (;;) {
    if (const std::optional<Clearance> answer = writer.answer()) return *answer;
    try {
      if (!failure) writer.advance();
    } catch (...) {
      failure = std::current_exception();
      writer.fail();
    }
    looks.another();
  }
}

/// False if there is no ring.
bool send_through_ring(Core& core, const Side& side, const Peer& to, int receiver) {
  OwnRing ring = take_ring(core, side, receiver);
  if (!ring) return false;
  Clearance answer{};
  std::exception_ptr failure;
  {
    RingWriter writer(std::move(ring), side, core.ring_policy);
    const DescriptorBytes announced = announcement(core, side, writer.offer(true));
    send(announced.data(), descriptor_bytes, to);
    answer = answer_to(writer, core.comm(), failure);
  }
  if (answer.verdict == Clearance::Verdict::taken) {
    count_sent(Carriage::ring, side.bytes);
  } else {
    const auto rest = std::make_shared<RendezvousSend>(side, to, current(), receiver);
    if (failure) rest->give_up(failure);
    rest->go_on(answer);
    Begun(Progress::place_for(rest)).wait();
  }
  if (failure) std::rethrow_exception(failure);
  return true;
}

/// The rest of a receive that has got `descriptor`, of which `status` says where it came from.
Status finish(const Core& core, Side side, const Peer& from, const Descriptor& descriptor, Status status) {
  if (!RingReader::suits(core, side, descriptor)) {
    return receive_announced(std::move(side), from, descriptor, status).wait();
  }
  RingReader reader(core, side, descriptor);
  Looks looks(core.comm());
  try {
    while (!reader.advance()) looks.another();
  } catch (...) {
    reader.discard();
    reader.advance();
    throw;
  }
  status.bytes = descriptor.bytes;
  return status;
}

}  // namespace

bool send_at_once(const Names& names, const void* buffer, std::int64_t count, const Plan& plan,
                  const Peer& to, Stream stream, std::optional<Route>& known) {
  const Setting setting = setting_of(to);
  if (!setting) return false;
  Core& core = *setting.core;
  const std::optional<int> receiver = core.receiver(*setting.comm, to.rank);
  if (!receiver) return false;
  const std::int64_t bytes = packed_bytes(names, count, plan, to.comm);
  if (bytes >= core.options().direct_bytes && core.shares_host_memory_with(*receiver)) return false;
  const Route& way = known.emplace(route(names.call, names.buffer, buffer, count, plan));
  if (!usable(way, stream)) return false;
  const bool in_place = way.kind == Route::Kind::direct;
  if (goes_through_ring(core, bytes, in_place, *receiver)) {
    const Side side(names, buffer, count, plan, to.comm, false, stream, known);
    return send_through_ring(core, side, to, *receiver);
  }
  if (!core.is_plain(bytes) || (!in_place && bytes > core.longest_at_once())) return false;
  if (in_place) {
    send(way.first, bytes, to);
  } else {
    std::byte* const packed = core.scratch();
    host::pack(buffer, count, plan, packed, {0, bytes}, one_thread);
    send(packed, bytes, to);
  }
  count_sent(Carriage::eager, bytes);
  return true;
}

std::optional<Status> receive_at_once(const Names& names, void* buffer, std::int64_t count, const Plan& plan,
                                      const Peer& from, Stream stream, std::optional<Route>& known) {
  const Setting setting = setting_of(from);
  if (!setting || !setting.comm->any_member(from.rank)) return std::nullopt;
  Core& core = *setting.core;
  const std::int64_t bytes = packed_bytes(names, count, plan, from.comm);
  std::int64_t room = room_for(bytes, core, *setting.comm, from.rank);
  const Route& way = known.emplace(route(names.call, names.buffer, buffer, count, plan));
  if (!usable(way, stream)) return std::nullopt;
  const bool in_place = way.kind == Route::Kind::direct && room <= bytes;
  if (!in_place) room = std::max(room, least_guarded());
  if (!in_place && guarded_bytes(room) > core.longest_at_once()) return std::nullopt;
  std::byte* const data = in_place ? way.first : core.scratch();
  MPI_Status raw;
  if (in_place) {
    receive(data, room, from, raw);
  } else {
    receive_guarded(data, room, from, raw);
  }
  Status status;
  status.source = raw.MPI_SOURCE;
  status.tag = raw.MPI_TAG;
  status.bytes = received_bytes(raw);
  if (!in_place) close_gap(data, room, status.bytes);
  if (status.bytes == descriptor_bytes && setting.comm->is_member(status.source)) {
    if (const auto descriptor = Descriptor::decode(data, core.identity())) {
      return finish(core, Side(names, buffer, count, plan, from.comm, false, stream, known), from,
                    *descriptor, status);
    }
  }
  if (status.bytes > bytes) throw Truncated(status, bytes);
  if (!in_place && status.bytes > 0) {
    host::unpack(data, buffer, count, plan, {0, status.bytes}, one_thread);
  }
  return status;
}

}  // namespace typewarp::transport
