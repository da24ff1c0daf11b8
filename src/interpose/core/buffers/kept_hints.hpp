// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/errors.hpp"

#include <typewarp/hints.hpp>
#include <typewarp/plan.hpp>

#include <mpi.h>

#include <atomic>
#include <exception>

/// The hints that communicators, windows and files of the program have, by the infos that it gave. As MPI has
/// it, a duplicate does not take them over.
namespace typewarp::interpose {

/// Between MPI_Init and MPI_Finalize: hints are kept in between only.
void open_hints() noexcept;
void close_hints() noexcept;

/// Whether any object may have some.
inline constinit std::atomic<bool> any_hints{false};

// The kinds of objects, of which some MPIs have one type of handles: get() is nothing of nothing(), and
// one load where no object has any; set() throws MpiError; raise() tells the object's error handler.

struct OfComm {
  using Handle = MPI_Comm;
  static Handle nothing() noexcept { return MPI_COMM_NULL; }
  static Hints get(Handle comm) noexcept {
    return any_hints.load(std::memory_order_relaxed) ? kept(comm) : Hints();
  }
  static void set(Handle comm, const Hints& hints);
  static int raise(Handle comm, const std::exception_ptr& error) noexcept {
    return interpose::raise(comm, error);
  }

 private:
  static Hints kept(Handle comm) noexcept;
};

struct OfWindow {
  using Handle = MPI_Win;
  static Handle nothing() noexcept { return MPI_WIN_NULL; }
  static Hints get(Handle window) noexcept {
    return any_hints.load(std::memory_order_relaxed) ? kept(window) : Hints();
  }
  static void set(Handle window, const Hints& hints);
  static int raise(Handle window, const std::exception_ptr& error) noexcept {
    return raise_in_window(window, error);
  }

 private:
  static Hints kept(Handle window) noexcept;
};

struct OfFile {
  using Handle = MPI_File;
  static Handle nothing() noexcept { return MPI_FILE_NULL; }
  static Hints get(Handle file) noexcept {
    return any_hints.load(std::memory_order_relaxed) ? kept(file) : Hints();
  }
  /// Until forget(): MPI has no attributes of files.
  static void set(Handle file, const Hints& hints);
  static void forget(Handle file) noexcept;
  static int raise(Handle file, const std::exception_ptr& error) noexcept {
    return interpose::raise(file, error);
  }

 private:
  static Hints kept(Handle file) noexcept;
};

/// The plan with the hints of the object that a call names, where its own say nothing.
inline Plan hinted(const Plan& plan, const Hints& outer) noexcept {
  return outer.empty() ? plan : plan.with(merged(outer, plan.hints()));
}

}  // namespace typewarp::interpose
