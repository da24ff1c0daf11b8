// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_call.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/kept_hints.hpp"
#include "interpose/core/files/file_ranks.hpp"
#include "mpi/large.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#pragma weak PMPI_File_get_position
#pragma weak PMPI_File_seek

namespace typewarp::interpose {
namespace {

struct Split {
  std::shared_ptr<EvenCopy> copy;
  bool reads;
};

/// A file has at most one.
class Splits {
 public:
  void keep(MPI_File file, Split split) {
    const std::lock_guard lock(mutex_);
    splits_.insert_or_assign(file, std::move(split));
  }
  /// Nothing of a call that is the MPI's.
  Split take(MPI_File file) {
    const std::lock_guard lock(mutex_);
    const auto found = splits_.find(file);
    if (found == splits_.end()) return {nullptr, false};
    Split split = std::move(found->second);
    splits_.erase(found);
    return split;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<MPI_File, Split> splits_;
};

Splits& splits() {
  static Splits& instance = *new Splits;
  return instance;
}

struct View {
  bool is_native;
  std::int64_t etype_bytes;
};

View view_of(MPI_File file) {
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

Whose whose(const FileData& data, std::int64_t& etype_bytes) {
  if (data.file == MPI_FILE_NULL) return Whose::the_mpis;
  const bool is_ours = data_if_ours(data.buffer, data.count, data.type, MPI_COMM_NULL).has_value();
  if (is_ours) {
    const View view = view_of(data.file);
    etype_bytes = view.etype_bytes;
    if (view.is_native) return Whose::copied;
  }
  return is_ours && gpu::out_of_reach(data.buffer) ? Whose::refused : Whose::the_mpis;
}

/// What this rank has of a call that may go in pieces.
struct OwnPart {
  Whose whose = Whose::the_mpis;
  std::optional<Data> data;  ///< where it is copied
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
    own.data->plan = hinted(own.data->plan, OfFile::get(file.file));
    own.pieces = pieces_of(file, *own.data, own.etype_bytes);
  } catch (...) {
    own.failure = std::current_exception();
  }
  return own;
}

/// Of calls at the pointer of a file one follows the other, whichever threads make them.
std::mutex& turn_of(MPI_File file) noexcept {
  static std::array<std::mutex, 16> turns;  // of several files each
  return turns[std::hash<MPI_File>{}(file) / sizeof(void*) % turns.size()];
}

/// All in one call of the MPI's.
int move_whole(int number, const FileData& data, const OwnPart& own, WholeCall whole,
               MPI_Status* status) noexcept {
  if (own.failure) return raise(data.file, own.failure);
  if (own.whose == Whose::refused) return refuse(number, data.file);
  if (own.whose == Whose::the_mpis) return whole(data.buffer, data.type, status);
  return guarded(data.file, [&] { file_call(number, data, whole, status); });
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

}  // namespace

Whose whose(const FileData& data) {
  std::int64_t etype_bytes = 1;
  return whose(data, etype_bytes);
}

int filed_in_pieces(int number, const FileData& data, PieceCall piece, WholeCall whole,
                    MPI_Status* status) noexcept {
  const bool asks = data.collective && asks_ranks(data.file);
  if (!asks && !any_may_be_ours(mpi_takes_device_memory())) return whole(data.buffer, data.type, status);
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
    std::unique_lock<std::mutex> lock;
    if (data.at_pointer && !data.collective) lock = std::unique_lock(turn_of(data.file));
    tell_taken(own.data->bytes());
    move_pieces(number, data, *own.data, own.pieces, own.etype_bytes, rounds, piece, status);
  });
}

std::shared_ptr<EvenCopy> copy_of(const FileData& data) {
  constexpr std::size_t one_block = 1;
  const EvenBlocks blocks{data.buffer, data.count,    data.type,
                          one_block,   MPI_COMM_NULL, OfFile::get(data.file)};
  // Also of what is read into: MPIs tell more than they read where a file ends, and the rest must stay.
  auto copy = std::make_shared<EvenCopy>(blocks);
  copy->pack();
  tell_taken(copy->bytes());
  return copy;
}

void start_in_turn(int number, const FileData& data, const void* buffer, MPI_Datatype type, CallAt call_at,
                   Act act, MPI_Request* request) {
  MPI_Offset place = 0;
  MPI_Offset end = 0;
  if (data.at_pointer) {
    const std::int64_t etype_bytes = std::max<std::int64_t>(view_of(data.file).etype_bytes, 1);
    mpi::check(PMPI_File_get_position(data.file, &place), "MPI_File_get_position");
    end = place + packed_bytes(data.count, data.type) / etype_bytes;
  }
  const auto make = [=, call_at = std::move(call_at)] {
    MPI_Request made = MPI_REQUEST_NULL;
    mpi::check(call_at(place, buffer, type, &made), names[static_cast<std::size_t>(number)]);
    return made;
  };
  Turn turn(turns_of(data.file));
  *request = operations().add(
      own_comm(),
      one(continued_in_turn(make, all_have_library(data.file), std::move(turn), own_comm(), std::move(act))));
  // Where the program goes on must not depend on when the call is made.
  if (data.at_pointer) PMPI_File_seek(data.file, end, MPI_SEEK_SET);
}

void forget_split(MPI_File file) noexcept { splits().take(file); }

void keep_split(MPI_File file, std::shared_ptr<EvenCopy> copy, bool reads) {
  splits().keep(file, {std::move(copy), reads});
}

int end_split(int number, MPI_File file, void* buffer, MPI_Status* status) noexcept {
  const Split split = splits().take(file);
  if (split.copy == nullptr) return hand_on(number, file, buffer, status);
  return guarded(file, [&] {
    void* const given = const_cast<void*>(split.copy->given().buffer);
    move_all(
        number, *split.copy, split.reads,
        [&](MPI_Status* told) { return hand_on(number, file, given, told); }, status);
  });
}

}  // namespace typewarp::interpose
