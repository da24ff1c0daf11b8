// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_call.hpp"

#include "interpose/core/buffers/buffers.hpp"
#include "interpose/core/buffers/kept_hints.hpp"

#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

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

bool is_native(MPI_File file) {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char representation[MPI_MAX_DATAREP_STRING]{};
  mpi::check(PMPI_File_get_view(file, &displacement, &etype, &filetype, representation), "MPI_File_get_view");
  for (MPI_Datatype* const type : {&etype, &filetype}) {
    if (!mpi::is_named(*type)) PMPI_Type_free(type);
  }
  return std::string_view(representation) == "native";
}

}  // namespace

Whose whose(const FileData& data) {
  if (data.file == MPI_FILE_NULL) return Whose::the_mpis;
  const bool is_ours = data_if_ours(data.buffer, data.count, data.type, MPI_COMM_NULL).has_value();
  if (is_ours && is_native(data.file)) return Whose::copied;
  if (data.count <= 0 || !gpu::out_of_reach(data.buffer)) return Whose::the_mpis;
  return is_ours || has_no_plan(data.type) ? Whose::refused : Whose::the_mpis;
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
