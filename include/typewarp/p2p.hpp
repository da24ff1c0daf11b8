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

/// Point-to-point messages of (buffer, count, plan) over any MPI, from and to memory of any kind, even if
/// the MPI knows nothing about GPUs. docs/internals/protocols.md explains how.
///
/// Without a Session a message is the packed stream without any header, in type-map order, sent as
/// MPI_PACKED: a plain MPI receive of a matching type can receive it, and a receive here can receive a
/// plain MPI send. While a Session lives, messages between its ranks, on any communicator, use its
/// protocols; messages to and from other processes do not.
///
/// MPI's rules hold: matching by (source, tag, communicator) in the order posted, MPI_ANY_SOURCE,
/// MPI_ANY_TAG, MPI_PROC_NULL, truncation, zero-size messages. A failing MPI call throws MpiError if the
/// communicator's error handler returns; a failing GPU call throws GpuError; wrong arguments throw
/// InvalidArgument. An error ends the request that it belongs to, and no other.
///
/// A truncated message ends in MpiError (MPI_ERR_TRUNCATE). Memory that is received through a packed copy
/// (device memory, or noncontiguous memory) is then unchanged; contiguous host memory holds whatever the
/// MPI wrote. Open MPI 5.0.11 writes beyond a contiguous receive buffer if it sends a truncated message in
/// several fragments (never beyond a packed copy); MPICH 5.0.2 does not. A message that a Session announces
/// before it sends it (longer than its eager limit) is never sent if it does not fit.
///
/// Each buffer must be in one kind of memory, determined by its first byte of data.
///
/// Several threads may call at once if MPI granted MPI_THREAD_MULTIPLE; a request belongs to one thread at
/// a time. A call that waits makes progress on all messages of the Session, whichever thread they belong
/// to.
///
/// Streams: a call orders the message after the work that `stream` holds when the call starts it. Work that
/// is enqueued later is not ordered, and must not touch the buffer before the message is complete. Nothing
/// is enqueued on `stream` after the call, so it may be destroyed. When wait() or test() reports
/// completion, the bytes are in place for all work that is enqueued from then on, on any stream. A waiting
/// call waits for the stream up to the point of the call, never for the device.
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
/// A message that is neither pipelined nor direct has been packed when this returns, so the call waits for
/// the work that `stream` holds. As in MPI, the buffer must not be written before the request completes: it
/// may be read later, or sent in place.
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
// Each start is one isend, issend or irecv with these arguments, after the work that `stream` holds at the
// start: the stream and the communicator must live as long as the request is started. The buffer must remain
// the same memory. InvalidArgument is thrown here; the MPI checks rank and tag at each start.

[[nodiscard]] Request send_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request ssend_init(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                                 int tag, MPI_Comm comm, Stream stream = {});
[[nodiscard]] Request recv_init(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                                MPI_Comm comm, Stream stream = {});
/// Starts all: the receives in order, then the sends in order. Device memory that is sent without an
/// announcement is packed by one launch. Throws InvalidArgument, before it starts any, if one is active or
/// not persistent. If a start throws, the requests started before it are active.
void start_all(std::span<Request> requests);

// The same for arrays (strided_view.hpp), one message each. Fewer elements than a received array holds may
// arrive. InvalidArgument is thrown for an invalid array.

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
