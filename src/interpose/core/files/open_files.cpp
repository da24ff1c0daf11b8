// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/open_files.hpp"

#include "base/never_destroyed.hpp"
#include "interpose/core/buffers/refusal.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/files/ompio_progress.hpp"
#include "interpose/core/handle_table.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/requests/operations.hpp"
#include "mpi/agree.hpp"
#include "mpi/library.hpp"
#include "transport/memory/reserve.hpp"

#include <typewarp/mpi.hpp>

#include <exception>
#include <thread>
#include <utility>

#pragma weak PMPI_File_get_info

namespace typewarp::interpose {
namespace {

using OpenFiles = HandleTable<MPI_File, OpenFile>;

OpenFiles& open_files() {
  static NeverDestroyed<OpenFiles> instance;
  return instance.get();
}

std::optional<MPI_Comm> ranks_of(MPI_File file) noexcept {
  const std::shared_ptr<OpenFile> known = find_file(file);
  return known ? known->ranks : std::nullopt;
}

/// Collective over `comm`, and the same in all ranks. Throws MpiError.
std::optional<MPI_Comm> ranks_for_file(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || mpi_takes_device_memory()) return std::nullopt;
  int ranks = 0;
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
  if (ranks == 1) return MPI_COMM_NULL;
  if (!everyone_of(comm)) return std::nullopt;
  // The program may free its own, or use it in other threads. No duplicate: that would call the functions of
  // its attributes.
  constexpr int color = 0, key = 0;
  MPI_Comm made = MPI_COMM_NULL;
  // A rank that failed here does not ask the others later, so nobody may wait for it.
  const bool is_made = PMPI_Comm_split(comm, color, key, &made) == MPI_SUCCESS && made != MPI_COMM_NULL;
  if (mpi::in_all(comm, is_made)) {
    PMPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);  // the file's handler hears of what fails
    return made;
  }
  if (is_made) PMPI_Comm_free(&made);
  return std::nullopt;
}

/// The entry of a file that is about to be opened: adding it to the table cannot fail then. Other ranks wait
/// for this one.
OpenFiles::Entry entry_for_file(MPI_Comm comm) {
  OpenFiles::Entry entry = transport::insist([] { return OpenFiles::entry(std::make_shared<OpenFile>()); });
  entry.mapped()->ranks = ranks_for_file(comm);
  return entry;
}

void free_ranks(OpenFile& file) noexcept {
  if (file.ranks && *file.ranks != MPI_COMM_NULL) PMPI_Comm_free(&*file.ranks);
}

int open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* made) noexcept {
  OpenFiles::Entry entry;
  const int refused = guarded(MPI_File(MPI_FILE_NULL), [&] { entry = entry_for_file(comm); });
  if (refused != MPI_SUCCESS) return refused;
  preset(made, MPI_FILE_NULL);
  const int code = hand_on(call::File_open, comm, name, mode, info, made);
  if (code != MPI_SUCCESS || result(made, MPI_FILE_NULL) == MPI_FILE_NULL) {
    free_ranks(*entry.mapped());
    return code;
  }
  open_files().add(*made, std::move(entry));
  keep_ompio_from_progress_thread(*made);
  return code;
}

// Its handle may be that of the next file as soon as the MPI has closed it.
int close(MPI_File* file) noexcept {
  if (file != nullptr) end_those_under_way(*file);  // that of a failed call may be, whose request nobody has
  const std::shared_ptr<OpenFile> closed = file != nullptr ? open_files().take(*file) : nullptr;
  if (closed) free_ranks(*closed);
  return hand_on(call::File_close, file);
}

}  // namespace

std::shared_ptr<OpenFile> find_file(MPI_File file) noexcept { return open_files().find(file); }

std::shared_ptr<OpenFile> open_file(MPI_File file) { return open_files().find_or_make(file); }

std::optional<std::int64_t> most_of_ranks(MPI_File file, std::int64_t own) {
  const std::optional<MPI_Comm> ranks = ranks_of(file);
  if (!ranks) return std::nullopt;
  if (*ranks != MPI_COMM_NULL)
    mpi::check(PMPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT64_T, MPI_MAX, *ranks), "MPI_Allreduce");
  return own;
}

bool asks_ranks(MPI_File file) noexcept {
  const std::optional<MPI_Comm> ranks = ranks_of(file);
  return ranks && *ranks != MPI_COMM_NULL;
}

bool calls_ranks_alone(MPI_File file) noexcept {
  MPI_Info info = MPI_INFO_NULL;
  if (!mpi::is_open_mpi() || PMPI_File_get_info(file, &info) != MPI_SUCCESS) return false;
  int length = 0;
  int is_romios = 0;
  PMPI_Info_get_valuelen(info, "romio_filesystem_type", &length, &is_romios);
  PMPI_Info_free(&info);
  return is_romios == 0;
}

void end_those_under_way(MPI_File file) noexcept {
  const std::shared_ptr<OpenFile> known = find_file(file);
  while (known && known->turns.any()) {
    try {
      operations().progress().poll();
    } catch (const std::exception&) {
      // Nothing is lost, and other ranks wait for this one: the next round does it.
    }
    std::this_thread::yield();  // ranks may outnumber processors
  }
}

void take_files() noexcept {
  take(call::File_open, open);
  take(call::File_close, close);
}

}  // namespace typewarp::interpose
