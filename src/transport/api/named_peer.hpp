// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <mpi.h>

#include <string>

namespace typewarp::transport {

/// What a call names the arguments that the MPI checks.
struct PeerNames {
  const char* call;
  const char* rank;
  const char* tag = "tag";
};

/// Throws the error that is handled now, with the argument and the value that the MPI refused.
[[noreturn]] inline void rethrow_named(const MpiError& error, const PeerNames& names, int rank, int tag) {
  const bool by_rank = error.error_class() == MPI_ERR_RANK;
  if (!by_rank && error.error_class() != MPI_ERR_TAG) throw;
  const std::string value =
      std::string(by_rank ? names.rank : names.tag) + " = " + std::to_string(by_rank ? rank : tag);
  throw MpiError(names.call, error.code(), error.error_class(), value + ": " + error.what(), error.raised());
}

/// What `work` gives, which hands rank and tag of a peer to the MPI.
template <typename Work>
auto naming_peer(const PeerNames& names, int rank, int tag, Work&& work) {
  try {
    return work();
  } catch (const MpiError& error) {
    rethrow_named(error, names, rank, tag);
  }
}

}  // namespace typewarp::transport
