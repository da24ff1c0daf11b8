// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Calls of files that have an info, and the one that ends them.

#include "interpose/core/buffers/info_calls.hpp"
#include "interpose/core/files/file_ranks.hpp"
#include "interpose/core/files/file_turns.hpp"
#include "interpose/core/files/ompio_progress.hpp"

namespace typewarp::interpose {
namespace {

int open_file(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* made) noexcept {
  constexpr int number = call::File_open;
  std::optional<MPI_Comm> ranks;
  const int refused = guarded(MPI_File(MPI_FILE_NULL), [&] { ranks = ranks_for_file(comm); });
  if (refused != MPI_SUCCESS) return refused;
  bool is_open = false;
  const auto make = [&] {
    const int code = hand_on(number, comm, name, mode, info, made);
    is_open = code == MPI_SUCCESS && result(made, MPI_FILE_NULL) != MPI_FILE_NULL;
    if (is_open) keep_ompio_from_progress_thread(*made);
    if (is_open) keep_ranks(*made, ranks);
    return code;
  };
  const int code = make_with_info<OfFile, OfFile>(number, MPI_FILE_NULL, info, made, make);
  if (!is_open && ranks && *ranks != MPI_COMM_NULL) PMPI_Comm_free(&*ranks);
  return code;
}

int set_view(MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* representation, MPI_Info info) noexcept {
  constexpr int number = call::File_set_view;
  return change_by_info<OfFile>(number, file, info, [&] {
    return hand_on(number, file, displacement, etype, filetype, representation, info);
  });
}

// Its handle may be that of the next file as soon as the MPI has closed it.
int close_file(MPI_File* file) noexcept {
  if (file != nullptr) {
    OfFile::forget(*file);
    forget_ranks(*file);
    forget_turns(*file);
  }
  return hand_on(call::File_close, file);
}

}  // namespace

void take_file_infos() noexcept {
  take(call::File_open, open_file);
  take(call::File_close, close_file);
  take(call::File_set_view, set_view);
  take(call::File_set_info, set_info<OfFile, call::File_set_info>);
  take(call::File_get_info, get_info<OfFile, call::File_get_info>);
}

}  // namespace typewarp::interpose
