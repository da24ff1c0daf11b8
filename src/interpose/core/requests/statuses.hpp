// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/request/operation.hpp"

#include <typewarp/request.hpp>

#include <mpi.h>

/// The MPI's form of what a message of ours brought.
namespace typewarp::interpose {

/// Fills `status`, unless that is MPI_STATUS_IGNORE. Its field MPI_ERROR is the caller's.
void fill(MPI_Status* status, const Status& from) noexcept;

/// Of a message for which there was too little room, as the MPI tells it: also it has a source and a tag.
Status status_of(const transport::Truncated& error) noexcept;

/// Fills `status` with what `receive` returns, or throws.
template <class Receive>
void fill_by(MPI_Status* status, Receive receive) {
  try {
    fill(status, receive());
  } catch (const transport::Truncated& error) {
    fill(status, status_of(error));
    throw;
  }
}

}  // namespace typewarp::interpose
