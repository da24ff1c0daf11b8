// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/data.hpp"
#include "interpose/core/job/rts_readiness.hpp"

#include <typewarp/error.hpp>

#include <mpi.h>

#include <cstdint>
#include <optional>

/// Which of the program's buffers are ours to move, and which are left to the MPI.
namespace typewarp::interpose {

/// Between MPI_Init and MPI_Finalize; outside of it nothing is ours.
void open_buffers() noexcept;
void close_buffers() noexcept;

/// Only a device reaches the memory, and nobody can read its datatype, whose name the text has.
class UnreadableMemory : public InvalidArgument {
 public:
  explicit UnreadableMemory(const InvalidArgument& why) : InvalidArgument(why) {}
};

/// Whether there may be a buffer that is ours: of GPU memory there is none while the program uses no GPU.
bool any_may_be_ours() noexcept;
/// The same of calls that the MPI makes on copies, unless it takes GPU memory itself.
bool any_may_be_staged() noexcept;

/// What of a call with (buffer, count, datatype) we send or pack; nothing if the MPI is to see to it. Nothing
/// is ours that is empty, nor what the MPI must refuse. Where the program uses no GPU this takes some 40 ns.
/// `comm` is that of the call, or MPI_COMM_NULL where that is not known. `displacement`: in bytes, of what
/// lies elsewhere than at the buffer itself. Nothing is ours of a datatype without a plan, but where only a
/// device reaches it, and the MPI does not take that, this throws UnreadableMemory. Throws std::bad_alloc,
/// MpiError, too.
std::optional<Data> data_if_ours(const void* buffer, std::int64_t count, MPI_Datatype datatype, MPI_Comm comm,
                                 std::int64_t displacement = 0);
/// The other end of a message.
struct End {
  int rank;
  int tag;
  MPI_Comm comm;
};
/// The same for a message; one to or from MPI_PROC_NULL is the MPI's, and so is what it must refuse. Where
/// this rank is ready for RTS (rts_readiness.hpp), or is about to be, all that can be received is ours,
/// whatever its datatype, and `posting` has ended then. Makes way for a send that is not ours. Throw what
/// data_if_ours() throws.
std::optional<Data> data_to_send(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                 const End& to);
std::optional<Data> data_to_receive(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                    const End& from, Posting& posting);
/// Of a message that is replaced by another: either may be ours.
std::optional<Data> data_to_replace(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                                    const End& to, const End& from, Posting& posting);
/// Whether messages can come from there.
bool is_source(const End& from) noexcept;
/// Whether the MPI takes it for an end of a message, be it nobody. Where it refuses one of the two ends of a
/// call, that is the MPI's: no message of it must start.
bool is_end_of_send(const End& to) noexcept;
bool is_end_of_receive(const End& from) noexcept;
/// What of a call is ours since something else of it is, whatever its datatype. Throws what data_if_ours()
/// throws, and InvalidArgument for a datatype that is not committed.
Data data_needed(const void* buffer, std::int64_t count, MPI_Datatype datatype, MPI_Comm comm,
                 std::int64_t displacement = 0);

/// Whether bytes that the program packed, at `address`, are ours to read or write.
bool packed_is_ours(const void* address) noexcept;

}  // namespace typewarp::interpose
