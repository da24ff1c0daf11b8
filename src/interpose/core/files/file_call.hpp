// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/mpi.hpp>

#include <memory>

/// Calls that read and write files. The MPI is given packed copies of what is ours; the file's view is its
/// business. What has been read is unpacked as far as it was.
namespace typewarp::interpose {

/// What a call reads into or writes from.
struct FileData {
  MPI_File file;
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  bool reads;
};

/// Of files in another representation than the native one the MPI must know what it moves. Throws MpiError.
Whose whose(const FileData& data);

/// As it is before the call.
std::shared_ptr<EvenCopy> copy_of(const FileData& data);

/// A call in two halves, between them.
void keep_split(MPI_File file, std::shared_ptr<EvenCopy> copy, bool reads);
/// The first half was the MPI's.
void forget_split(MPI_File file) noexcept;
/// The second half.
int end_split(int number, MPI_File file, void* buffer, MPI_Status* status) noexcept;

// Each makes one call of a kind. `hand_on(buffer, type, ...)` makes the MPI's.

template <class HandOn>
void file_call(int number, const FileData& data, HandOn hand_on, MPI_Status* status) {
  const std::shared_ptr<EvenCopy> copy = copy_of(data);
  MPI_Status own{};
  MPI_Status* const told = status == MPI_STATUS_IGNORE ? &own : status;
  const EvenBlocks given = copy->given();
  mpi::check(hand_on(given.buffer, given.type, told), names[static_cast<std::size_t>(number)]);
  if (!data.reads) return;
  Moves moves;
  copy->unpack(moves, transport::received_bytes(*told));
  moves.reached(true);
}

template <class HandOn>
void file_call(int number, const FileData& data, HandOn hand_on, MPI_Request* request) {
  const std::shared_ptr<EvenCopy> copy = copy_of(data);
  const EvenBlocks given = copy->given();
  MPI_Request made = MPI_REQUEST_NULL;
  mpi::check(hand_on(given.buffer, given.type, &made), names[static_cast<std::size_t>(number)]);
  const auto act = [copy, reads = data.reads](const Status& status, Moves& moves) {
    if (reads) copy->unpack(moves, status.bytes);
  };
  constexpr bool has_bytes = true;
  // Errors of files are returned unless the program says otherwise.
  *request = operations().add(own_comm(), one(continued(made, own_comm(), act, has_bytes)));
}

/// The first half of a call in two.
template <class HandOn>
void file_call(int number, const FileData& data, HandOn hand_on) {
  const std::shared_ptr<EvenCopy> copy = copy_of(data);
  const EvenBlocks given = copy->given();
  mpi::check(hand_on(given.buffer, given.type), names[static_cast<std::size_t>(number)]);
  keep_split(data.file, copy, data.reads);
}

template <class HandOn, class... Last>
int filed(int number, const FileData& data, HandOn hand_on, Last... last) noexcept {
  Whose of = Whose::the_mpis;
  const int code = guarded(data.file, [&] {
    of = whose(data);
    if (of != Whose::copied) return;
    file_call(number, data, hand_on, last...);
  });
  if (code != MPI_SUCCESS || of == Whose::copied) return code;
  if constexpr (sizeof...(last) == 0) forget_split(data.file);
  if (of == Whose::refused) return refuse(number, data.file);
  return hand_on(data.buffer, data.type, last...);
}

}  // namespace typewarp::interpose
