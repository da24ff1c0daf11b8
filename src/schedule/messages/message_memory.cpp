// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/messages/message_memory.hpp"

#include "base/never_destroyed.hpp"
#include "transport/memory/host_buffer.hpp"
#include "transport/session.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <numeric>
#include <utility>

namespace typewarp::schedule {
namespace {

/// From so many bytes on, in place is faster for messages of several parts of device memory (between two
/// H100, docs/internals/decisions/034-halo-packing.md: 4.5 MB sometimes, 6.5 MB always).
constexpr std::int64_t many_bytes = 5'000'000;

/// Whether `reaches(session, rank)` for each of the ranks, as the Session knows them; not without a Session.
template <typename Reaches>
bool reaches_all(const std::vector<int>& ranks, MPI_Comm comm, Reaches reaches) {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return false;
  const std::shared_ptr<transport::SessionComm> known = session->comms.of(comm);
  return std::ranges::all_of(ranks, [&](int rank) {
    return known->is_member(rank) && reaches(*session, known->private_rank(rank));
  });
}

/// Whether a Session takes device memory to all of these ranks from where it lies.
bool reached_by_devices(const std::vector<int>& ranks, MPI_Comm comm) {
  return reaches_all(ranks, comm, [](const transport::SessionState& session, int rank) {
    return session.ipc.reaches(rank) || session.link != nullptr;
  });
}

/// Whether a Session reaches all of these ranks on this host, memory to memory.
bool reached_in_place(const std::vector<int>& ranks, MPI_Comm comm, bool devices) {
  return reaches_all(ranks, comm, [&](const transport::SessionState& session, int rank) {
    return devices ? session.ipc.reaches(rank) : session.shares_host_memory(rank);
  });
}

// The transport would pack several parts of a device in one message, since they have no name together. And
// several parts of one buffer are no regular layout, which a kernel goes through more slowly. But then they
// are packed beside what stays in the rank, which pays where there is much of it.
bool device_goes_in_place(std::span<const Part> parts, int rank) {
  const std::vector<PeerMessage> messages = PackedLayout(parts, rank).messages;
  const bool of_parts =
      std::ranges::any_of(messages, [](const PeerMessage& message) { return message.parts.size() > 1; });
  const std::int64_t bytes =
      std::accumulate(messages.begin(), messages.end(), std::int64_t{0},
                      [](std::int64_t sum, const PeerMessage& message) { return sum + message.bytes; });
  return !of_parts || bytes >= many_bytes;
}

template <typename Memory>
std::shared_ptr<std::byte> held(const std::shared_ptr<Memory>& memory) {
  return {memory, memory->data()};
}

/// What others may still write to. Thread safe.
class AbandonedBuffers {
 public:
  void add(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::list<Buffer> buffers_;
};

}  // namespace

bool suits_in_place(const Schedule& schedule, MPI_Comm comm) {
  const bool device = schedule.device >= 0;
  if (device && !(device_goes_in_place(schedule.sends, schedule.rank) &&
                  device_goes_in_place(schedule.receives, schedule.rank))) {
    return false;
  }
  return reached_in_place(schedule.peers(), comm, device);
}

Buffer::Buffer(std::int64_t bytes, int device, bool on_device)
    : memory_(bytes == 0   ? nullptr
              : device < 0 ? held(std::make_shared<transport::HostBuffer>(bytes))
              : on_device  ? held(std::make_shared<gpu::DeviceAllocation>(device, bytes))
                           : held(std::make_shared<gpu::PinnedBuffer>(bytes))) {}

void Buffer::abandon() {
  static NeverDestroyed<AbandonedBuffers> abandoned;
  abandoned.get().add(std::exchange(*this, Buffer()));
}

MessageMemory::MessageMemory(MPI_Comm of, const Schedule& longest, const Choices& choices)
    : comm(of),
      device(longest.device),
      packs(choices.packs),
      on_device(device >= 0 &&
                (choices.on_device ? *choices.on_device : reached_by_devices(longest.peers(), comm))) {
  const PackedLayout sent(longest.sends, longest.rank);
  const PackedLayout received(longest.receives, longest.rank, sent.end);
  if (packs) messages = Buffer(received.end, device, on_device);
  own = Buffer(received.own_end, device, true);
  if (!choices.overwrites || longest.receives.empty()) return;
  const std::int64_t bytes = std::ranges::max(longest.receives, {}, &Part::bytes).bytes;
  overwriting = Buffer(bytes, device, false);
  constexpr int value = 255;
  if (bytes > 0) std::memset(overwriting.data(), value, static_cast<std::size_t>(bytes));
}

}  // namespace typewarp::schedule
