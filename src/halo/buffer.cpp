// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/buffer.hpp"

#include "engine/device/gpu.hpp"
#include "transport/memory/host_buffer.hpp"
#include "transport/session.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

/// Whether `reaches(core, rank)` for each of the ranks, as the Session knows them; not without a Session.
template <typename Reaches>
bool all_ranks(std::span<const int> ranks, MPI_Comm comm, Reaches reaches) {
  const std::shared_ptr<transport::SessionState> session = transport::current();
  if (!session) return false;
  const std::shared_ptr<transport::CommState> known = session->comms.of(comm);
  return std::ranges::all_of(ranks, [&](int rank) {
    return known->is_member(rank) && reaches(*session, known->private_rank(rank));
  });
}

template <typename Memory>
std::shared_ptr<std::byte> held(const std::shared_ptr<Memory>& memory) {
  return {memory, memory->data()};
}

}  // namespace

std::vector<PointerInfo> memory_of(std::span<const Field> fields) {
  std::vector<PointerInfo> memory;
  for (const Field& field : fields) {
    memory.push_back(gpu_present() ? pointer_info(field.data()) : PointerInfo{});
  }
  return memory;
}

bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept {
  return a.kind == b.kind && (a.kind != MemoryKind::device || a.device == b.device);
}

int device_of(std::span<const PointerInfo> memory) {
  int found = -1;
  for (std::size_t f = 0; f < memory.size(); ++f) {
    if (memory[f].kind != MemoryKind::device || memory[f].device == found) continue;
    if (found >= 0) {
      throw InvalidArgument("typewarp::halo::Exchange", "fields[" + std::to_string(f) + "].data",
                            "memory of device " + std::to_string(memory[f].device),
                            "must be on the device of the fields before, " + std::to_string(found) +
                                ": those of each device take an exchange of their own");
    }
    found = memory[f].device;
  }
  const auto managed = std::ranges::find(memory, MemoryKind::managed, &PointerInfo::kind);
  return found < 0 && managed != memory.end() ? managed->device : found;
}

bool reached_by_devices(std::span<const int> ranks, MPI_Comm comm) {
  return all_ranks(ranks, comm, [](const transport::SessionState& session, int rank) {
    return session.ipc.reaches(rank) || session.link != nullptr;
  });
}

bool reached_in_place(std::span<const int> ranks, MPI_Comm comm, bool devices) {
  return all_ranks(ranks, comm, [&](const transport::SessionState& session, int rank) {
    return devices ? session.ipc.reaches(rank)
                   : session.ipc.reaches_host_memory(rank) || session.reaches_by_ring(rank);
  });
}

Buffer::Buffer(std::int64_t bytes, int device, bool on_device)
    : memory_(bytes == 0   ? nullptr
              : device < 0 ? held(std::make_shared<transport::HostBuffer>(bytes))
              : on_device  ? held(std::make_shared<gpu::DeviceBuffer>(device, bytes))
                           : held(std::make_shared<gpu::PinnedBuffer>(bytes))) {}

void Buffer::abandon() {
  static std::mutex& mutex = *new std::mutex;
  static std::list<Buffer>& abandoned = *new std::list<Buffer>;
  const std::lock_guard lock(mutex);
  abandoned.push_back(std::exchange(*this, Buffer()));
}

}  // namespace typewarp::halo
