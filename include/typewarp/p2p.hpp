// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/request.hpp>
#include <typewarp/strided_view.hpp>

#include <mpi.h>

#include <cstdint>
#include <span>
#include <utility>

/// Point-to-point messages of (buffer, count, plan) over any MPI, from and to memory of any kind, also
/// where the MPI knows nothing of GPUs. docs/internals/protocols.md explains how.
///
/// Without a Session a message is the packed stream without any header, in type-map order, sent as
/// MPI_PACKED: a plain MPI receive of a matching type takes it, and a receive here takes a plain MPI send.
/// While a Session lives, messages between its ranks, on whatever communicator, use its protocols; messages
/// to and from other processes are as before.
///
/// MPI's rules hold: matching by (source, tag, communicator) in the order posted, MPI_ANY_SOURCE,
/// MPI_ANY_TAG, MPI_PROC_NULL, truncation, zero-size messages. A failing MPI call throws MpiError if the
/// communicator's error handler lets it return; a GPU's failures throw GpuError; bad arguments
/// InvalidArgument. An error ends the request that it belongs to and no other.
///
/// A truncated message ends in MpiError (MPI_ERR_TRUNCATE). Memory that is received into through a packed
/// copy (a device's, or not consecutive) then stays as it was; consecutive host memory holds what the MPI
/// wrote. There this is as good as the MPI: Open MPI 5.0.11 writes beyond a consecutive receive buffer when a
/// message that is sent in several pieces is truncated, which is kept from packed copies; MPICH 5.0.2 does
/// not. A message that a Session announced before sending (longer than its eager limit) is never sent if it
/// does not fit.
///
/// A buffer lies in one kind of memory, judged by its first byte of data.
///
/// Threads may call at once where MPI granted MPI_THREAD_MULTIPLE; one request belongs to one thread at a
/// time. A call that waits moves on all messages of the Session, whichever thread they belong to.
///
/// Streams: memory that a device may be using is read and written behind what `stream` holds when the call
/// starts the message, and not behind what comes later: later work must not touch it before the message is
/// complete. Nothing is enqueued on `stream` after the call, so it may go. wait() and test() say that a
/// message is complete once its bytes are in place: what is enqueued then, on whatever stream, sees them.
/// Whoever waits, waits for the stream up to the point of the call, never for the device.
namespace typewarp {

/// Returns when the buffer may be written.
void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream = {});
/// Returns when the bytes are in place.
Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream = {});
/// A synchronous send: complete only when a receive has matched it.
void ssend(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
           Stream stream = {});
/// A message that is neither pipelined nor direct is packed when this returns, for which it waits for the
/// work that `stream` holds. As MPI says, the buffer must not be written before the request completes: it is
/// read later, or sent from where it lies.
[[nodiscard]] Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                            int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request issend(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                             int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                            MPI_Comm comm, Stream stream = {});
/// A send and a receive at once; the buffers must not overlap.
Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream = {});

// Persistent requests: inactive when made, started as often as needed, inactive again after each completion.
// Each start is one isend, issend or irecv with these arguments, ordered by what `stream` holds at the start:
// so the stream and the communicator must stay for as long as it is started. The buffer must stay the same
// memory. InvalidArgument is thrown here; rank and tag are the MPI's to judge, at each start.

[[nodiscard]] Request send_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request ssend_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                 int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request recv_init(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                                MPI_Comm comm, Stream stream = {});
/// Starts all: the receives in order, then the sends in order. Device memory that is sent without being
/// announced is packed by one launch. Throws InvalidArgument, before it starts any, if one is active or not
/// persistent; where a start throws, those that were started are active.
void start_all(std::span<Request> requests);

// The same for arrays (strided_view.hpp), each of one message. A received array has room for its elements,
// and fewer may come. InvalidArgument is thrown for what is wrong with the array.

template <Array A>
void send(A&& array, int destination, int tag, MPI_Comm comm, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  send(items.data, items.count, items.plan, destination, tag, comm, stream);
}
template <WritableArray A>
Status recv(A&& array, int source, int tag, MPI_Comm comm, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  return recv(items.data, items.count, items.plan, source, tag, comm, stream);
}
template <Array A>
[[nodiscard]] Request isend(A&& array, int destination, int tag, MPI_Comm comm, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  return isend(items.data, items.count, items.plan, destination, tag, comm, stream);
}
template <WritableArray A>
[[nodiscard]] Request irecv(A&& array, int source, int tag, MPI_Comm comm, Stream stream = {}) {
  const auto items = items_of(std::forward<A>(array));
  return irecv(items.data, items.count, items.plan, source, tag, comm, stream);
}

}  // namespace typewarp
