// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/kept_hints.hpp"

#include <typewarp/mpi.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace typewarp::interpose {
namespace {

int comm_key = MPI_KEYVAL_INVALID;
int window_key = MPI_KEYVAL_INVALID;

// The value of an attribute is a word, which is as long as hints are.
using Bytes = std::array<std::byte, sizeof(Hints)>;
static_assert(sizeof(Bytes) == sizeof(void*));

void* word_of(const Hints& hints) noexcept {
  const auto bytes = std::bit_cast<Bytes>(hints);
  void* word = nullptr;
  std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

Hints hints_in(void* word, int found) noexcept { return found != 0 ? std::bit_cast<Hints>(word) : Hints(); }

std::mutex& files_lock = *new std::mutex;
auto& files = *new std::unordered_map<MPI_File, Hints>;

}  // namespace

void open_hints() noexcept {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, nullptr);
  PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &window_key, nullptr);
}

void close_hints() noexcept {
  any_hints = false;
  if (comm_key != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&comm_key);
  if (window_key != MPI_KEYVAL_INVALID) PMPI_Win_free_keyval(&window_key);
}

Hints OfComm::kept(MPI_Comm comm) noexcept {
  void* word = nullptr;
  int found = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_get_attr(comm, comm_key, static_cast<void*>(&word), &found);
  return hints_in(word, found);
}

void OfComm::set(MPI_Comm comm, const Hints& hints) {
  mpi::check(PMPI_Comm_set_attr(comm, comm_key, word_of(hints)), "MPI_Comm_set_attr");
  any_hints = true;
}

Hints OfWindow::kept(MPI_Win window) noexcept {
  void* word = nullptr;
  int found = 0;
  if (window != MPI_WIN_NULL) PMPI_Win_get_attr(window, window_key, static_cast<void*>(&word), &found);
  return hints_in(word, found);
}

void OfWindow::set(MPI_Win window, const Hints& hints) {
  mpi::check(PMPI_Win_set_attr(window, window_key, word_of(hints)), "MPI_Win_set_attr");
  any_hints = true;
}

Hints OfFile::kept(MPI_File file) noexcept {
  const std::lock_guard lock(files_lock);
  const auto found = files.find(file);
  return found != files.end() ? found->second : Hints();
}

void OfFile::set(MPI_File file, const Hints& hints) {
  const std::lock_guard lock(files_lock);
  files.insert_or_assign(file, hints);
  any_hints = true;
}

void OfFile::forget(MPI_File file) noexcept {
  if (!any_hints.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(files_lock);
  files.erase(file);
}

}  // namespace typewarp::interpose
