// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

/// The calls that reach the MPI, seen through its profiling interface: counted, and made to fail.
namespace typewarp::test {

/// What this process has had the MPI make and not freed yet.
struct MpiObjects {
  int communicators = 0;
  int groups = 0;
  int keyvals = 0;

  bool operator==(const MpiObjects&) const = default;
};
MpiObjects mpi_objects();

/// Calls of MPI_Test so far.
std::int64_t mpi_tests();

enum class Posting { send, receive };

/// While this lives, the `nth` call from now on (1, 2, ...) that posts such a message, and so many in all,
/// do nothing but return an error. One at a time.
class FailingMpi {
 public:
  FailingMpi(Posting what, int nth, int times = 1);
  FailingMpi(const FailingMpi&) = delete;
  FailingMpi& operator=(const FailingMpi&) = delete;
  ~FailingMpi();

  /// Whether that call has come.
  bool happened() const;
};

}  // namespace typewarp::test
