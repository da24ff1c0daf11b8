// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/mpi.hpp>

#include <mpi.h>

#include <exception>
#include <memory>

namespace typewarp::transport {

/// A `T` that is kept with a communicator, as an attribute that duplicates do not get, and shared with those
/// who use it. When the communicator is freed, `object.leave()` is called. The calls throw MpiError.
///
/// They are of PMPI, as this is compiled where a call of MPI_X would come back to the program's.
template <class T>
class KeptWithComm {
 public:
  using Kept = std::shared_ptr<T>;

  /// Null where there is none.
  static const Kept* find(MPI_Comm comm) {
    void* found = nullptr;
    int present = 0;
    mpi::check(PMPI_Comm_get_attr(comm, key(), static_cast<void*>(&found), &present), "MPI_Comm_get_attr");
    return present != 0 ? static_cast<const Kept*>(found) : nullptr;
  }

  /// In place of what is kept there.
  static void keep(MPI_Comm comm, const Kept& object) {
    auto kept = std::make_unique<Kept>(object);
    mpi::check(PMPI_Comm_set_attr(comm, key(), kept.get()), "MPI_Comm_set_attr");
    static_cast<void>(kept.release());  // the communicator's now
  }

 private:
  static int forget(MPI_Comm, int, void* attribute, void*) {
    const std::unique_ptr<Kept> kept(static_cast<Kept*>(attribute));
    try {
      (*kept)->leave();
    } catch (const std::exception&) {
      return MPI_ERR_OTHER;
    }
    return MPI_SUCCESS;
  }

  static int key() {
    static const int key = [] {
      int made = MPI_KEYVAL_INVALID;
      mpi::check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &made, nullptr),
                 "MPI_Comm_create_keyval");
      return made;
    }();
    return key;
  }
};

}  // namespace typewarp::transport
