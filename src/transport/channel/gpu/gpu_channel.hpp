// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/memory/fixed_pool.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/buffer/message_buffer.hpp"

#include <typewarp/session.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace typewarp::transport {

/// Transfers of a library other than the MPI, by its handles.
class Transfers {
 public:
  Transfers& operator=(Transfers&&) = delete;
  virtual ~Transfers() = default;

  /// Whether the transfer is over; then `handle` is invalid, also if this throws Error. `bytes`: the length
  /// of a received message; 0 if it was cancelled or a send.
  virtual bool test(void* handle, std::int64_t* bytes) = 0;
  /// Cancels a receive: test() must still report its end.
  virtual void cancel(void* handle) = 0;
  /// Releases the handle of a transfer that may still be under way.
  virtual void drop(void* handle) noexcept = 0;
};

/// Owns a send or receive of the MPI or another library. Its memory must stay until it is inactive.
class Transfer {
 public:
  Transfer() = default;
  Transfer(Posted posted) noexcept : posted_(std::move(posted)) {}
  /// A null handle is a transfer that is over.
  Transfer(Transfers& home, void* handle) noexcept : home_(&home), handle_(handle) {}
  Transfer(Transfer&& other) noexcept { *this = std::move(other); }
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(posted_, other.posted_);
    std::swap(home_, other.home_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Transfer();

  bool active() const noexcept { return handle_ != nullptr || posted_.active(); }
  /// Returns true if over or inactive; then it is inactive, also if this throws MpiError or Error. `bytes`:
  /// the length of a received message.
  bool test(std::int64_t* bytes = nullptr);
  /// Cancels a receive, which stays active until test() reports its end. Does nothing if inactive.
  void cancel();

 private:
  Posted posted_;
  Transfers* home_ = nullptr;
  void* handle_ = nullptr;
};

/// What takes packed fragments out of one device's memory into that of another, between whatever hosts.
/// Fragments of one sender with one tag arrive in the order in which they were sent.
class GpuChannel {
 public:
  GpuChannel& operator=(GpuChannel&&) = delete;
  virtual ~GpuChannel() = default;

  virtual Protocol protocol() const noexcept = 0;
  /// To and from a rank of the private communicator. No other transfer into the receiving process has this
  /// tag. A transfer may have no bytes. Throw Error.
  virtual Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) = 0;
  virtual Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) = 0;
  /// Makes progress. Called often.
  virtual void progress() noexcept {}
  /// Disconnects from the other ranks step by step: true when done. No transfer is active.
  virtual bool leave() noexcept { return true; }

  /// Whether the link can carry fragments of this side, in its memory or packed on its device.
  virtual bool carries(const MessageBuffer& side) const { return side.on_device(); }
  /// Whether the link can take the user's memory itself. Precondition: carries().
  virtual bool in_place(const MessageBuffer& side) const;
  /// Allocates memory on the side's device; nothing if that fails.
  virtual std::optional<PoolMemory> allocate(const MessageBuffer& side, std::int64_t bytes) const;
};

/// The MPI itself, which is given device memory. Null if there is no memory for it.
std::unique_ptr<GpuChannel> make_mpi_link(MPI_Comm comm);
/// Whether the MPI or the environment of this rank says that it takes device memory; or it sends by UCX, and
/// `ucx_takes_it` says so of that.
bool mpi_declares_gpu_awareness(MPI_Comm comm, bool (*ucx_takes_it)());

/// Whether `link` carries bytes from each rank's current device to that of the next rank, within `patience`,
/// which includes the time to connect. Collective.
bool proves_itself(GpuChannel& link, MPI_Comm comm,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(30'000));

}  // namespace typewarp::transport
