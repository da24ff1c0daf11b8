// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/files/file_turns.hpp"

#include "interpose/core/requests/operations.hpp"
#include "mpi/library.hpp"

#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#pragma weak PMPI_File_get_info

namespace typewarp::interpose {
namespace {

/// MPI has no attributes of files.
struct OfFiles {
  std::mutex mutex;
  std::unordered_map<MPI_File, std::shared_ptr<Turns>> turns;
};

OfFiles& of_files() {
  static OfFiles& instance = *new OfFiles;
  return instance;
}

/// Null if it has none.
std::shared_ptr<Turns> known_turns_of(MPI_File file) noexcept {
  const std::lock_guard lock(of_files().mutex);
  const auto found = of_files().turns.find(file);
  return found == of_files().turns.end() ? nullptr : found->second;
}

}  // namespace

bool are_of_each_rank(MPI_File file) noexcept {
  MPI_Info info = MPI_INFO_NULL;
  if (!mpi::is_open_mpi() || PMPI_File_get_info(file, &info) != MPI_SUCCESS) return false;
  int length = 0;
  int is_romios = 0;
  PMPI_Info_get_valuelen(info, "romio_filesystem_type", &length, &is_romios);
  PMPI_Info_free(&info);
  return is_romios == 0;
}

std::shared_ptr<Turns> turns_of(MPI_File file) {
  const std::lock_guard lock(of_files().mutex);
  std::shared_ptr<Turns>& turns = of_files().turns[file];
  if (!turns) turns = std::make_shared<Turns>();
  return turns;
}

void end_those_under_way(MPI_File file) noexcept {
  const std::shared_ptr<Turns> turns = known_turns_of(file);
  while (turns && turns->any()) {
    try {
      operations().poll();
    } catch (const std::exception&) {
      continue;  // the next round does it
    }
    std::this_thread::yield();  // ranks may outnumber processors
  }
}

void forget_turns(MPI_File file) noexcept {
  const std::lock_guard lock(of_files().mutex);
  of_files().turns.erase(file);
}

}  // namespace typewarp::interpose
