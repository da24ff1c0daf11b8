// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers.hpp"
#include "transport/staging.hpp"

#include <typewarp/transport.hpp>

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

/// What the calls for messages have in common.
namespace typewarp::interpose {

/// The plan of one side of an operation of which the other side is ours. Throws InvalidArgument if there is
/// none.
const Plan& plan_needed(MPI_Datatype datatype);
/// The plan of packed bytes.
const Plan& bytes_plan();

/// A message's packed stream in host memory, complete when made. Throws CudaError, std::bad_alloc.
class PackedCopy {
 public:
  PackedCopy(const void* buffer, std::int64_t count, const Plan& plan);

  const std::byte* data() const noexcept { return memory_.data(); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::int64_t bytes_;
  transport::Staging memory_;
};

/// What starts a send of some mode, and one that starts it for memory of any kinds.
using Begin = Request (*)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream);
Request begin_send(Begin begin, const void* buffer, std::int64_t count, const Plan& plan, const End& to);
Request begin_receive(void* buffer, std::int64_t count, const Plan& plan, const End& from);

/// Sends it by MPI_Bsend, into the buffer that the program attached. Throws MpiError.
void send_buffered(const PackedCopy& copy, int destination, int tag, MPI_Comm comm);

}  // namespace typewarp::interpose
