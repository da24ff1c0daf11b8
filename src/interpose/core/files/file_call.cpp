// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_call.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/files/ompio_progress.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "mpi/large.hpp"
#include "mpi/library.hpp"
#include "transport/memory/reserve.hpp"
#include "transport/mpi/point_to_point.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#pragma weak PMPI_File_get_position
#pragma weak PMPI_File_seek

namespace typewarp::interpose {
namespace {

using transport::insist;  // other ranks may wait for this one in a collective call

struct FileView {
  bool is_native;
  std::int64_t etype_bytes;
};

FileView view_of(MPI_File file) {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char representation[MPI_MAX_DATAREP_STRING]{};
  mpi::check(PMPI_File_get_view(file, &displacement, &etype, &filetype, representation), "MPI_File_get_view");
  if (etype == MPI_DATATYPE_NULL) return {false, 1};
  const std::int64_t etype_bytes = mpi::size(etype);
  for (MPI_Datatype* const type : {&etype, &filetype}) {
    if (!mpi::is_named(*type)) PMPI_Type_free(type);
  }
  return {std::string_view(representation) == "native", etype_bytes};
}

/// Of files in another representation than the native one the MPI must know what it moves. Throws MpiError.
Whose whose(const FileData& data, std::int64_t& etype_bytes) {
  if (data.file == MPI_FILE_NULL) return Whose::the_mpis;
  const bool is_ours = data_if_ours(data.buffer, data.count, data.type, MPI_COMM_NULL).has_value();
  if (is_ours) {
    const FileView view = view_of(data.file);
    etype_bytes = view.etype_bytes;
    if (view.is_native) return Whose::copied;
  }
  return is_ours && gpu::out_of_reach(data.buffer) ? Whose::refused : Whose::the_mpis;
}

/// Makes the call by `copied()` if it is ours, by `as_it_is()` if it is the MPI's.
int decide(int number, const FileData& data, FunctionRef<void()> copied,
           FunctionRef<int()> as_it_is) noexcept {
  Whose of = Whose::the_mpis;
  const int code = guarded(data.file, [&] {
    std::int64_t etype_bytes = 0;
    of = insist([&] { return whose(data, etype_bytes); });
    if (of == Whose::copied) copied();
  });
  if (code != MPI_SUCCESS || of == Whose::copied) return code;
  return of == Whose::refused ? refuse(number, data.file) : as_it_is();
}

/// The data as it is before the call. Also of what is read into: MPIs tell more than they read where a file
/// ends, and the rest must stay.
std::shared_ptr<PackedBlocks> copy_of(const FileData& data) {
  const auto copy = insist([&] {
    auto made = std::make_shared<PackedBlocks>(one_block(data.buffer, data.count, data.type));
    made->pack();
    return made;
  });
  tell_taken(copy->bytes());
  return copy;
}

/// Makes `call(status)`, which moves all of the copy, and then unpacks as much as it has read.
void move_all(int number, PackedBlocks& copy, bool reads, FunctionRef<int(MPI_Status*)> call,
              MPI_Status* status) {
  MPI_Status told{};
  mpi::check(call(&told), name_of(number));
  if (status != MPI_STATUS_IGNORE) {
    told.MPI_ERROR = status->MPI_ERROR;  // calls that complete one operation leave it
    *status = told;
  }
  if (!reads) return;
  Moves moves;
  copy.unpack(moves, transport::received_bytes(told));
  moves.reached(true);
}

void move_copied(int number, const FileData& data, WholeCall whole, MPI_Status* status) {
  const std::shared_ptr<PackedBlocks> copy = copy_of(data);
  const CallSide& given = copy->given();
  move_all(
      number, *copy, data.reads, [&](MPI_Status* told) { return whole(given.buffer, given.type, told); },
      status);
}

/// Unpacks what a request has read. Other ranks may wait for the call that it belongs to.
Act unpacking(const std::shared_ptr<PackedBlocks>& copy, bool reads) {
  return insist([&]() -> Act {
    return [copy, reads](const Status& status, Moves& moves) {
      if (reads) copy->unpack(moves, status.bytes);
    };
  });
}

void start_copied(int number, const FileData& data, StartCall start, MPI_Request* request) {
  const std::shared_ptr<PackedBlocks> copy = copy_of(data);
  const CallSide& given = copy->given();
  const Act act = unpacking(copy, data.reads);
  const auto make = [&] {
    MPI_Request made = MPI_REQUEST_NULL;
    mpi::check(start(given.buffer, given.type, &made), name_of(number));
    return made;
  };
  constexpr bool has_status = true;
  const auto all = [&] { return insist([&] { return continued(make, own_comm(), act, has_status); }); };
  // Errors of files are returned unless the program says otherwise.
  *request = operations().add_started(own_comm(), [&] { return one_begun(all); });
}

/// The request of a call that has moved its data.
MPI_Request complete_request(const MPI_Status& status) {
  return operations().add(own_comm(), one(completed(own_comm(), transport::received_bytes(status))));
}

/// Gives the MPI the call when those before it are over, if all ranks of the file do so. `is_made`: set where
/// the MPI gets it here and now.
void start_in_turn(int number, const FileData& data, const void* buffer, MPI_Datatype type, MPI_Offset place,
                   CallAt* call_at, const Act& act, bool& is_made, MPI_Request* request) {
  MPI_Offset end = 0;
  if (data.at_pointer) {
    const std::int64_t etype_bytes = std::max<std::int64_t>(view_of(data.file).etype_bytes, 1);
    mpi::check(PMPI_File_get_position(data.file, &place), "MPI_File_get_position");
    end = place + packed_bytes(data.count, data.type) / etype_bytes;
  }
  const MPI_File handle = data.file;
  const std::int64_t count = items(buffer, data.count);
  const auto start = [&] {
    const std::shared_ptr<OpenFile> file = open_file(handle);
    Turn turn(std::shared_ptr<Turns>(file, &file->turns));
    const bool is_put_off = file->ranks.has_value() && !turn.is_next();
    bool* const noted = is_put_off ? nullptr : &is_made;
    const auto make = [=] {
      MPI_Request made = MPI_REQUEST_NULL;
      if (noted != nullptr) *noted = true;
      mpi::check(call_at(handle, place, buffer, count, type, &made), name_of(number));
      return made;
    };
    return continued_in_turn(make, is_put_off, std::move(turn), own_comm(), act);
  };
  *request = operations().add_started(own_comm(), [&] { return one_begun([&] { return insist(start); }); });
  // Where the program goes on must not depend on when the call is made.
  if (data.at_pointer) PMPI_File_seek(data.file, end, MPI_SEEK_SET);
}

/// What this rank has of a call that may go in pieces.
struct OwnPart {
  Whose whose = Whose::the_mpis;
  std::optional<Data> data;  ///< if it is copied
  Pieces pieces{0, 1};
  std::int64_t etype_bytes = 1;
  std::exception_ptr failure;
};

OwnPart own_part(const FileData& file) noexcept {
  OwnPart own;
  try {
    own.whose = whose(file, own.etype_bytes);
    if (own.whose != Whose::copied) return own;
    own.data = data_needed(file.buffer, file.count, file.type, MPI_COMM_NULL);
    own.pieces = pieces_of(file, *own.data, own.etype_bytes);
  } catch (...) {
    own.failure = std::current_exception();
  }
  return own;
}

/// All in one call of the MPI's.
int move_whole(int number, const FileData& data, const OwnPart& own, WholeCall whole,
               MPI_Status* status) noexcept {
  if (own.failure) return raise(data.file, own.failure);
  if (own.whose == Whose::refused) return refuse(number, data.file);
  if (own.whose == Whose::the_mpis) return whole(data.buffer, data.type, status);
  return guarded(data.file, [&] { move_copied(number, data, whole, status); });
}

/// One round, or none where the call is refused or has failed, and as many empty ones as others wait for.
int keep_up(int number, const FileData& data, const OwnPart& own, std::int64_t rounds, PieceCall piece,
            WholeCall whole, MPI_Status* status) noexcept {
  std::int64_t made = 0;
  const auto counted = [&](const void* buffer, MPI_Datatype type, MPI_Status* told) {
    ++made;
    return whole(buffer, type, told);
  };
  const bool has_one = !own.failure && own.whose != Whose::refused;
  const int code = has_one ? move_whole(number, data, own, counted, status) : MPI_SUCCESS;
  for (; data.collective && made < rounds; ++made) move_nothing(piece);
  return has_one ? code : move_whole(number, data, own, whole, status);
}

/// Of a collective call that has failed in this rank: others wait for its part.
void take_part_with_nothing(WholeCall whole) noexcept {
  MPI_Status ignored{};
  whole(&no_items, MPI_BYTE, &ignored);
}

/// The same of a call that does not block: nobody waits here, as the others may come to it later.
void take_part_with_nothing_in_turn(int number, MPI_File file, MPI_Offset offset, CallAt* call_at) noexcept {
  const FileData nothing{file, &no_items, 0, MPI_BYTE, false, true};
  const Act act = [](const Status&, Moves&) {};
  try {
    bool is_made = false;
    MPI_Request made = MPI_REQUEST_NULL;
    start_in_turn(number, nothing, &no_items, MPI_BYTE, offset, call_at, act, is_made, &made);
    operations().free(made);
  } catch (...) {
    return;  // the error is that of the call
  }
}

SplitCopy take_split(MPI_File file) noexcept {
  const std::shared_ptr<OpenFile> known = find_file(file);
  if (!known) return {};
  const std::lock_guard lock(known->mutex);
  return std::exchange(known->split, {});
}

}  // namespace

int filed_whole(int number, const FileData& data, WholeCall whole, MPI_Status* status) noexcept {
  if (data.collective) end_those_under_way(data.file);
  bool is_made = false;
  const auto noted = [&](const void* buffer, MPI_Datatype type, MPI_Status* told) {
    is_made = true;
    return whole(buffer, type, told);
  };
  const int code = decide(
      number, data, [&] { move_copied(number, data, noted, status); },
      [&] { return noted(data.buffer, data.type, status); });
  if (data.collective && !is_made) take_part_with_nothing(whole);
  return code;
}

int filed_in_pieces(int number, const FileData& data, PieceCall piece, WholeCall whole,
                    MPI_Status* status) noexcept {
  const bool asks = data.collective && asks_ranks(data.file);
  if (!asks && !any_may_be_staged()) return whole(data.buffer, data.type, status);
  if (data.collective) end_those_under_way(data.file);
  const OwnPart own = own_part(data);
  std::int64_t rounds = own.pieces.number;
  const int code = guarded(data.file, [&] {
    if (data.collective) rounds = most_of_ranks(data.file, rounds).value_or(1);
  });
  if (code != MPI_SUCCESS) return code;
  const bool has_pieces = !own.failure && own.whose == Whose::copied;
  if (rounds == 1 || !has_pieces) return keep_up(number, data, own, rounds, piece, whole, status);
  return guarded(data.file, [&] {
    const std::shared_ptr<OpenFile> file = open_file(data.file);
    std::unique_lock<std::mutex> lock;
    if (data.at_pointer && !data.collective) lock = std::unique_lock(file->at_pointer);
    tell_taken(own.data->bytes());
    move_pieces(number, data, *own.data, own.pieces, own.etype_bytes, rounds, piece, status);
  });
}

int filed_started(int number, const FileData& data, StartCall start, WholeCall block,
                  MPI_Request* request) noexcept {
  MPI_Status status{};
  return decide(
      number, data,
      [&] {
        // Our progress thread would test a request of Open MPI's, and free it.
        if (!mpi::is_open_mpi()) return start_copied(number, data, start, request);
        move_copied(number, data, block, &status);
        *request = complete_request(status);
      },
      [&] {
        if (!mpi::is_open_mpi() || ompio_requests_are_safe()) return start(data.buffer, data.type, request);
        return guarded(data.file, [&] {
          mpi::check(block(data.buffer, data.type, &status), name_of(number));
          *request = complete_request(status);
        });
      });
}

int filed_in_turn(int number, const FileData& data, StartCall start, WholeCall block, MPI_Offset offset,
                  CallAt* call_at, MPI_Request* request) noexcept {
  if (data.file == MPI_FILE_NULL) return start(data.buffer, data.type, request);
  if (calls_ranks_alone(data.file)) return filed_started(number, data, start, block, request);
  bool is_made = false;
  const int code = decide(
      number, data,
      [&] {
        const std::shared_ptr<PackedBlocks> copy = copy_of(data);
        const CallSide& given = copy->given();
        const Act act = unpacking(copy, data.reads);
        start_in_turn(number, data, given.buffer, given.type, offset, call_at, act, is_made, request);
      },
      [&] {
        return guarded(data.file, [&] {
          std::shared_ptr<const OpaqueType> type;  // the program may free its own
          const Act act = insist([&]() -> Act {
            type = std::make_shared<const OpaqueType>(data.type);
            return [type](const Status&, Moves&) {};
          });
          start_in_turn(number, data, data.buffer, type->get(), offset, call_at, act, is_made, request);
        });
      });
  if (code != MPI_SUCCESS && !is_made) take_part_with_nothing_in_turn(number, data.file, offset, call_at);
  return code;
}

int filed_begin(int number, int end, const FileData& data, BeginCall begin) noexcept {
  end_those_under_way(data.file);
  bool is_made = false;
  const auto noted = [&](const void* buffer, MPI_Datatype type) {
    is_made = true;
    return begin(buffer, type);
  };
  const int code = decide(
      number, data,
      [&] {
        const std::shared_ptr<OpenFile> file = insist([&] { return open_file(data.file); });
        SplitCopy split{copy_of(data), data.reads};
        const CallSide& given = split.copy->given();
        mpi::check(noted(given.buffer, given.type), name_of(number));
        const std::lock_guard lock(file->mutex);
        file->split = std::move(split);
      },
      [&] {
        take_split(data.file);
        return noted(data.buffer, data.type);
      });
  if (is_made) return code;
  take_part_with_nothing([&](const void* buffer, MPI_Datatype type, MPI_Status* told) {
    const int begun = begin(buffer, type);
    return begun == MPI_SUCCESS ? hand_on(end, data.file, const_cast<void*>(buffer), told) : begun;
  });
  return code;
}

int filed_end(int number, MPI_File file, void* buffer, MPI_Status* status) noexcept {
  const SplitCopy split = take_split(file);
  if (split.copy == nullptr) return hand_on(number, file, buffer, status);
  return guarded(file, [&] {
    void* const given = const_cast<void*>(split.copy->given().buffer);
    move_all(
        number, *split.copy, split.reads,
        [&](MPI_Status* told) { return hand_on(number, file, given, told); }, status);
  });
}

}  // namespace typewarp::interpose
