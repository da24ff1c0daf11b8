// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <memory>
#include <optional>

/// Point-to-point messages of (buffer, count, plan) over any MPI, from and to memory of any kind, also
/// where the MPI knows nothing of GPUs. A message is the packed stream without any header, in type-map order,
/// sent as MPI_PACKED: a plain MPI receive of a matching type takes it, and a receive here takes a plain MPI
/// send.
///
/// MPI's rules hold: matching by (source, tag, communicator) in the order posted, MPI_ANY_SOURCE,
/// MPI_ANY_TAG, MPI_PROC_NULL, truncation, zero-size messages. A failing MPI call throws MpiError if the
/// communicator's error handler lets it return; CUDA's failures throw CudaError; bad arguments
/// InvalidArgument.
///
/// A truncated message ends in MpiError (MPI_ERR_TRUNCATE). Memory that is received into through a packed
/// copy (a device's, or not consecutive) then stays as it was; consecutive host memory holds what the MPI
/// wrote. This is as good as the MPI: Open MPI 5.0.11 writes beyond the receive buffer, its own user's or the
/// packed copy here, when a message that is sent in several pieces is truncated; MPICH 5.0.2 does not.
///
/// A buffer lies in one kind of memory, judged by its first byte of data.
///
/// Threads may call at once where MPI granted MPI_THREAD_MULTIPLE; one request belongs to one thread at a
/// time.
///
/// Streams: a send starts after what `stream` holds when it is called, a receive writes in order with
/// `stream`. wait() and test() return once the bytes are in place on whichever side. Whoever waits, waits for
/// the stream up to the point of the call, never for the device.
namespace typewarp {

/// What a completed operation moved. Of a send, only `bytes` says something.
struct Status {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  std::int64_t bytes = 0;

  /// Whole items received (MPI_Get_count): MPI_UNDEFINED if `bytes` is no multiple of the item's size.
  std::int64_t count(const Plan& plan) const;
  /// Basic elements received (MPI_Get_elements): MPI_UNDEFINED if `bytes` ends inside one.
  std::int64_t elements(const Plan& plan) const;
};

/// One operation in flight. Move-only; owns its temporaries, and keeps the plan alive. The user's buffer must
/// stay until completion. Destroying an active request cancels an unmatched receive and else completes the
/// operation, so that no temporary is freed under MPI's feet.
class Request {
 public:
  Request() noexcept;
  Request(Request&&) noexcept;
  Request& operator=(Request&&) noexcept;
  ~Request();

  bool active() const noexcept { return operation_ != nullptr; }
  /// Blocks until complete; inactive afterwards, also when it throws. On an inactive request: an empty
  /// status.
  Status wait();
  /// The status if complete (then inactive afterwards), else nothing. On an inactive request: an empty
  /// status.
  std::optional<Status> test();

  struct Operation;
  explicit Request(std::unique_ptr<Operation> operation) noexcept;

 private:
  std::unique_ptr<Operation> operation_;
};

void send(const void* buffer, std::int64_t count, const Plan& plan, int destination, int tag, MPI_Comm comm,
          Stream stream);
Status recv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag, MPI_Comm comm,
            Stream stream);
/// Returns once the work that `stream` holds is done and the bytes are packed. As MPI says, the buffer must
/// not be written before the request completes: consecutive bytes of host memory are sent from where they
/// lie.
[[nodiscard]] Request isend(const void* buffer, std::int64_t count, const Plan& plan, int destination,
                            int tag, MPI_Comm comm, Stream stream);
[[nodiscard]] Request irecv(void* buffer, std::int64_t count, const Plan& plan, int source, int tag,
                            MPI_Comm comm, Stream stream);
Status sendrecv(const void* send_buffer, std::int64_t send_count, const Plan& send_plan, int destination,
                int send_tag, void* recv_buffer, std::int64_t recv_count, const Plan& recv_plan, int source,
                int recv_tag, MPI_Comm comm, Stream stream);

}  // namespace typewarp
