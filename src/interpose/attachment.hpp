// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"

#include <cstdint>

/// What the front, which every process loads, and a core, which is built against one ABI of MPI, say to each
/// other.
namespace typewarp::interpose {

struct CoreAttachment {
  /// The table that the front was built from; a core of another table refuses.
  std::uint32_t table;
  /// For each call what comes after us: another tool's or the MPI's function, never null. Lives as long as
  /// the process.
  void* const* next;
  /// What the program's calls go to; `next` at first. A core replaces those that it takes. Valid during the
  /// call only.
  void** chosen;
  /// The stream that the calling thread of the program has given.
  void* (*given_stream)() noexcept;
};

/// The one function that a core exports. Called once, before any MPI call of the process is handed on.
/// Returns 0, or 1 if it refuses, and then has changed nothing. Throws nothing.
using Attach = int(const CoreAttachment* attachment) noexcept;
inline constexpr const char* attach_name = "typewarp_mpi_attach";

}  // namespace typewarp::interpose
