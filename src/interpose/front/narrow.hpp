// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/front/front.hpp"

#include <climits>

/// What the generated stand-ins for `_c` calls are made of. An MPI without them counts in int.
namespace typewarp::interpose {

using Count = std::int64_t;     // MPI_Count and MPI_Aint of every ABI
using Handle = std::uintptr_t;  // a handle in a register: an int or a pointer

inline bool fits(Count count) noexcept { return count >= INT_MIN && count <= INT_MAX; }
/// For a length that only bounds what is used, and what is not read.
inline int clamp(Count size) noexcept { return size > INT_MAX ? INT_MAX : static_cast<int>(size); }

/// Raises MPI_ERR_COUNT with the error handler of `comm`; returns it if the handler returns.
int too_large(Handle comm) noexcept;
/// The same with that of a file or window.
int too_large_for_file(Handle file) noexcept;
int too_large_for_window(Handle window) noexcept;
/// MPI_COMM_SELF, for calls without a communicator.
Handle nowhere() noexcept;

/// How long the arrays of a collective call are. `code` is an MPI error that was raised already, or 0.
struct Lengths {
  int code = 0;
  int send = 0;
  int receive = 0;
};
Lengths peers_of(Handle comm, const void* sendbuf) noexcept;
Lengths neighbors_of(Handle comm) noexcept;
bool is_in_place(const void* buffer) noexcept;
/// Not if the MPI cannot say so, as of what is no communicator.
bool is_root(Handle comm, int root) noexcept;
/// None at a rank that is not the root.
Lengths peers_of_root(Handle comm, int root) noexcept;
/// One for each rank of the own group.
Lengths group_of(Handle comm) noexcept;

/// `n` counts or displacements, narrowed.
class Ints {
 public:
  Ints(const Count* values, int n) noexcept;
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  ~Ints();

  /// Whether all of them fit, and there was memory for them.
  bool good() const noexcept { return good_; }
  /// As long as this object lives.
  const int* data() const noexcept { return values_; }
  /// As long as the process lives: for calls that return before the MPI has read them. Equal arrays are kept
  /// once. Null if there is no memory, which the MPI refuses.
  const int* kept() const noexcept;

 private:
  int n_;
  int* values_ = nullptr;
  bool good_ = true;
};

}  // namespace typewarp::interpose
