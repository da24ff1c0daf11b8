// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_hand.hpp"

#include <utility>

namespace lammps {
namespace {

std::vector<apps::Buffer> staging(const std::vector<Part>& parts, const Place& place) {
  using typewarp::MemoryKind;
  std::vector<apps::Buffer> buffers;
  for (const Part& part : parts) {
    buffers.emplace_back(place.on_gpu() ? MemoryKind::pinned : MemoryKind::host, part.bytes());
  }
  return buffers;
}

}  // namespace

ByHand::ByHand(Parts parts, const Place& place, MPI_Comm comm)
    : parts_(std::move(parts)),
      place_(place),
      comm_(comm),
      outgoing_(staging(parts_.sends, place)),
      incoming_(staging(parts_.receives, place)),
      requests_(parts_.sends.size() + parts_.receives.size()) {}

void ByHand::run() {
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    pack(parts_.sends[i], outgoing_[i].data());
  }
  place_.synchronize();
  auto request = requests_.begin();
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    const Part& part = parts_.receives[i];
    MPI_Irecv(incoming_[i].data(), static_cast<int>(part.bytes()), MPI_BYTE, part.peer, part.tag, comm_,
              &*request++);
  }
  for (std::size_t i = 0; i < outgoing_.size(); ++i) {
    const Part& part = parts_.sends[i];
    MPI_Isend(outgoing_[i].data(), static_cast<int>(part.bytes()), MPI_BYTE, part.peer, part.tag, comm_,
              &*request++);
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    unpack(parts_.receives[i], incoming_[i].data());
  }
}

void ByHand::pack(const Part& part, std::byte* packed) const {
  for (const Column& column : part.columns) {
    const std::int64_t bytes = 8 * column.words * part.count;
    if (part.list != nullptr) {
      place_.run(GatherRows{reinterpret_cast<const std::uint64_t*>(column.data), part.list->data(),
                            column.words, reinterpret_cast<std::uint64_t*>(packed)},
                 part.count);
    } else {
      place_.copy(packed, column.row(part.first), bytes);
    }
    packed += bytes;
  }
}

void ByHand::unpack(const Part& part, const std::byte* packed) const {
  for (const Column& column : part.columns) {
    const std::int64_t bytes = 8 * column.words * part.count;
    place_.copy(column.row(part.first), packed, bytes);
    packed += bytes;
  }
}

}  // namespace lammps
