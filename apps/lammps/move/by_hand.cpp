// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/by_hand.hpp"

#include <utility>

namespace lammps {
namespace {

void reserve(std::array<Room, 2>& rooms, const std::vector<Part>& parts, const Place& place) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rooms.at(i).reserve(place.staging_kind(), parts[i].bytes());
  }
}

}  // namespace

ByHand::ByHand(Parts parts, const Place& place, Staging& staging, MPI_Comm comm)
    : parts_(std::move(parts)),
      place_(place),
      staging_(staging),
      comm_(comm),
      requests_(parts_.sends.size() + parts_.receives.size()) {
  reserve(staging.outgoing, parts_.sends, place);
  reserve(staging.incoming, parts_.receives, place);
}

void ByHand::run() {
  auto request = requests_.begin();
  for (std::size_t i = 0; i < parts_.receives.size(); ++i) {
    const Part& part = parts_.receives[i];
    MPI_Irecv(staging_.incoming[i].data(), static_cast<int>(part.bytes()), MPI_BYTE, part.peer, part.tag,
              comm_, &*request++);
  }
  for (std::size_t i = 0; i < parts_.sends.size(); ++i) {
    pack(parts_.sends[i], staging_.outgoing[i].data());
  }
  place_.synchronize();
  for (std::size_t i = 0; i < parts_.sends.size(); ++i) {
    const Part& part = parts_.sends[i];
    MPI_Isend(staging_.outgoing[i].data(), static_cast<int>(part.bytes()), MPI_BYTE, part.peer, part.tag,
              comm_, &*request++);
  }
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (std::size_t i = 0; i < parts_.receives.size(); ++i) {
    unpack(parts_.receives[i], staging_.incoming[i].data());
  }
}

void ByHand::pack(const Part& part, std::byte* packed) const {
  for (const Column& column : part.columns) {
    const std::int64_t bytes = 8 * column.words * part.count;
    if (part.list != nullptr) {
      gather(place_,
             {reinterpret_cast<const std::uint64_t*>(column.data), part.list->data() + part.first,
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
