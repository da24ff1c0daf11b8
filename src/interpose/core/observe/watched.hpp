// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/observe/sites.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

/// The calls of the program as `typewarp doctor` sees them: each is the MPI's, and is counted at its site.
namespace typewarp::interpose {

/// A call of the program, for as long as it lasts. One that the MPI makes inside of another is not counted.
class Watched {
 public:
  Watched(int number, const void* caller, const Where& where = {}, const Part& sent = {},
          const Part& received = {}) noexcept;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched();

  /// The call has succeeded, and has begun what waits for this request are for ...
  void made(MPI_Request request) noexcept { keep(request, false); }
  /// ... or what each start of it begins: then the starts are the calls of this site.
  void made_persistent(MPI_Request request) noexcept { keep(request, true); }
  /// It has started these.
  void started(int count, const MPI_Request* requests) noexcept;

 private:
  void keep(MPI_Request request, bool persistent) noexcept;

  bool inner_;  ///< inside of another
  bool is_a_call_ = true;
  bool has_request_ = false;
  bool fresh_;
  std::int64_t bytes_;
  record::Site* site_;
  std::int64_t begin_;
};

/// One that waits for requests, or tests them.
class Awaited {
 public:
  Awaited(int number, const void* caller, int count, const MPI_Request* requests) noexcept;
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;
  ~Awaited();

 private:
  bool inner_;
  int number_;
  const void* caller_;
  // Not thread_local: a program may wait for requests when its thread's objects have ended.
  std::array<MPI_Request, 64> few_;
  std::vector<MPI_Request> many_;
  std::span<const MPI_Request> before_;
  const MPI_Request* requests_;
  std::int64_t begin_;
};

}  // namespace typewarp::interpose
