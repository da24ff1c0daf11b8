// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/files/file_data.hpp"
#include "interpose/core/files/file_pieces.hpp"
#include "interpose/core/files/file_ranks.hpp"
#include "interpose/core/files/file_turns.hpp"
#include "interpose/core/files/ompio_progress.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "mpi/library.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/mpi.hpp>

#include <functional>
#include <memory>
#include <utility>

/// Calls that read and write files. The MPI is given packed copies of what is ours; the file's view is its
/// business. What has been read is unpacked as far as it was.
namespace typewarp::interpose {

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

/// Makes `call(status)`, which moves all of the copy, and then unpacks as much as it has read.
template <class Call>
void move_all(int number, EvenCopy& copy, bool reads, Call call, MPI_Status* status) {
  MPI_Status told{};
  mpi::check(call(&told), names[static_cast<std::size_t>(number)]);
  if (status != MPI_STATUS_IGNORE) {
    told.MPI_ERROR = status->MPI_ERROR;  // calls that complete one operation leave it
    *status = told;
  }
  if (!reads) return;
  Moves moves;
  copy.unpack(moves, transport::received_bytes(told));
  moves.reached(true);
}

// Each makes one call of a kind. `hand_on(buffer, type, ...)` makes the MPI's.

template <class HandOn>
void file_call(int number, const FileData& data, HandOn hand_on, MPI_Status* status) {
  const std::shared_ptr<EvenCopy> copy = copy_of(data);
  const EvenBlocks given = copy->given();
  move_all(
      number, *copy, data.reads, [&](MPI_Status* told) { return hand_on(given.buffer, given.type, told); },
      status);
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
  constexpr bool has_status = true;
  // Errors of files are returned unless the program says otherwise.
  *request = operations().add(own_comm(), one(continued(made, own_comm(), act, has_status)));
}

/// `block(buffer, type, status)` makes the same call of this rank by itself, which blocks.
template <class Block>
void blocked_file_call(int number, const FileData& data, Block block, MPI_Request* request) {
  MPI_Status status{};
  file_call(number, data, block, &status);
  *request = operations().add(own_comm(), one(completed(own_comm(), transport::received_bytes(status))));
}

/// The same of memory that the MPI may have, whose own request the program gets where that is safe.
template <class HandOn, class Block>
int as_it_is(int number, const FileData& data, HandOn hand_on, Block block, MPI_Request* request) noexcept {
  if (!mpi::is_open_mpi() || ompio_requests_are_safe()) return hand_on(data.buffer, data.type, request);
  return guarded(data.file, [&] {
    MPI_Status status{};
    mpi::check(block(data.buffer, data.type, &status), names[static_cast<std::size_t>(number)]);
    *request = operations().add(own_comm(), one(completed(own_comm(), transport::received_bytes(status))));
  });
}

/// One that is not collective.
template <class HandOn, class Block>
void file_call(int number, const FileData& data, HandOn hand_on, Block block, MPI_Request* request) {
  // Nonblocking calls of Open MPI's may never end where several threads call it.
  if (mpi::is_open_mpi()) return blocked_file_call(number, data, block, request);
  file_call(number, data, hand_on, request);
}

/// The first half of a call in two.
template <class HandOn>
void file_call(int number, const FileData& data, HandOn hand_on) {
  const std::shared_ptr<EvenCopy> copy = copy_of(data);
  const EvenBlocks given = copy->given();
  mpi::check(hand_on(given.buffer, given.type), names[static_cast<std::size_t>(number)]);
  keep_split(data.file, copy, data.reads);
}

/// The MPI's call, which it is given when those before it are over, where all ranks of the file do so.
using CallAt = std::function<int(MPI_Offset place, const void* buffer, MPI_Datatype type, MPI_Request* made)>;
void start_in_turn(int number, const FileData& data, const void* buffer, MPI_Datatype type, CallAt call_at,
                   Act act, MPI_Request* request);

/// A datatype that the program may free.
class OwnType {
 public:
  /// Throws MpiError.
  explicit OwnType(MPI_Datatype type) { mpi::check(PMPI_Type_dup(type, &type_), "MPI_Type_dup"); }
  OwnType(const OwnType&) = delete;
  OwnType& operator=(const OwnType&) = delete;
  ~OwnType() { PMPI_Type_free(&type_); }
  MPI_Datatype get() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// `copied()` makes the call if it is ours, `as_it_is()` if it is the MPI's.
template <class Copied, class AsItIs>
int decide(int number, const FileData& data, Copied copied, AsItIs as_it_is) noexcept {
  Whose of = Whose::the_mpis;
  const int code = guarded(data.file, [&] {
    of = whose(data);
    if (of == Whose::copied) copied();
  });
  if (code != MPI_SUCCESS || of == Whose::copied) return code;
  return of == Whose::refused ? refuse(number, data.file) : as_it_is();
}

template <class HandOn, class... Last>
int filed(int number, const FileData& data, HandOn hand_on, Last... last) noexcept {
  return decide(
      number, data,
      [&] {
        if (data.collective) end_those_under_way(data.file);
        file_call(number, data, hand_on, last...);
      },
      [&] {
        if (data.collective) end_those_under_way(data.file);
        if constexpr (sizeof...(last) == 0) forget_split(data.file);
        return hand_on(data.buffer, data.type, last...);
      });
}

template <class HandOn, class Block>
int filed(int number, const FileData& data, HandOn hand_on, Block block, MPI_Request* request) noexcept {
  return decide(
      number, data, [&] { file_call(number, data, hand_on, block, request); },
      [&] { return as_it_is(number, data, hand_on, block, request); });
}

/// A collective one. `call_at(place, buffer, type, request)` makes the same at a place in the file.
template <class HandOn, class Block, class CallAt>
int filed_in_turn(int number, const FileData& data, HandOn hand_on, Block block, CallAt call_at,
                  MPI_Request* request) noexcept {
  const bool are_apart = are_of_each_rank(data.file);
  return decide(
      number, data,
      [&] {
        if (are_apart) return blocked_file_call(number, data, block, request);
        const std::shared_ptr<EvenCopy> copy = copy_of(data);
        const EvenBlocks given = copy->given();
        const auto act = [copy, reads = data.reads](const Status& status, Moves& moves) {
          if (reads) copy->unpack(moves, status.bytes);
        };
        start_in_turn(number, data, given.buffer, given.type, call_at, act, request);
      },
      [&] {
        if (data.file == MPI_FILE_NULL) return hand_on(data.buffer, data.type, request);
        if (are_apart) return as_it_is(number, data, hand_on, block, request);
        return guarded(data.file, [&] {
          const auto type = std::make_shared<const OwnType>(data.type);
          const auto act = [type](const Status&, Moves&) {};
          start_in_turn(number, data, data.buffer, type->get(), call_at, act, request);
        });
      });
}

/// A call that blocks, and whose data need not go at once: in pieces, if there are several. Where it is
/// collective, the ranks agree on how many rounds it has. `piece` makes the MPI's call for a piece, `whole`
/// for all.
int filed_in_pieces(int number, const FileData& data, PieceCall piece, WholeCall whole,
                    MPI_Status* status) noexcept;

}  // namespace typewarp::interpose
