// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <mpi.h>

#include <cstdint>

/// Which of the program's buffers are ours to move, and which are left to the MPI.
namespace typewarp::interpose {

/// What TYPEWARP_TAKE asks for.
enum class Taking : std::uint8_t {
  gpu,      ///< buffers that a device has, and managed memory
  derived,  ///< these, and derived types of host memory that are not consecutive
  all,      ///< all
};

/// Between MPI_Init and MPI_Finalize; outside of it nothing is ours.
void open_buffers() noexcept;
void close_buffers() noexcept;

/// The plan with which we send or pack (buffer, count, datatype); null if the MPI is to see to it. Nothing is
/// ours that has no data, nor what the MPI must refuse. Where the program uses no GPU this takes some 40 ns.
/// The plan lives as long as the program may not free the datatype.
const Plan* plan_if_ours(const void* buffer, std::int64_t count, MPI_Datatype datatype) noexcept;
/// The other end of a message.
struct End {
  int rank;
  int tag;
  MPI_Comm comm;
};
/// The same for a message; one to or from MPI_PROC_NULL is the MPI's, and so is what it must refuse. Where
/// messages may be announced all that can be received is ours. Makes way for a send that is not ours.
const Plan* plan_to_send(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                         const End& to) noexcept;
const Plan* plan_to_receive(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                            const End& from) noexcept;
/// Whether messages can come from there.
bool is_source(const End& from) noexcept;
/// Of the type map.
const void* first_byte(const void* buffer, const Plan& plan) noexcept;
/// Whether bytes that the program packed, at `address`, are ours to read or write.
bool packed_is_ours(const void* address) noexcept;

}  // namespace typewarp::interpose
