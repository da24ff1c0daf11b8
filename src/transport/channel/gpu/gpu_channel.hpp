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

/// Sends and receives that a library other than the MPI has under way, by handles of that library.
class Transfers {
 public:
  Transfers() = default;
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  virtual ~Transfers() = default;

  /// Whether the transfer is over; `handle` is gone then, also when this throws Error for what failed.
  /// `bytes`: of the message, if it was a receive that was not cancelled, else 0.
  virtual bool test(void* handle, std::int64_t* bytes) = 0;
  /// Of a receive: its end, cancelled or not, is still to be tested for.
  virtual void cancel(void* handle) = 0;
  /// Lets go of what is under way, without waiting for it.
  virtual void drop(void* handle) noexcept = 0;
};

/// A send or receive by the MPI or another library, and who owns it. The memory that it was started with must
/// stay until it is inactive.
class Transfer {
 public:
  Transfer() = default;
  Transfer(Posted posted) noexcept : posted_(std::move(posted)) {}
  /// A null handle is over.
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
  /// True once over, or if inactive; inactive then, also when it throws MpiError or Error. `bytes`: what a
  /// receive got.
  bool test(std::int64_t* bytes = nullptr);
  /// Of a receive: it stays active until its end is told. Does nothing if inactive.
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
  GpuChannel() = default;
  GpuChannel(const GpuChannel&) = delete;
  GpuChannel& operator=(const GpuChannel&) = delete;
  virtual ~GpuChannel() = default;

  virtual Protocol protocol() const noexcept = 0;
  /// To and from a rank of the private communicator; the tag is one that no other transfer into the receiving
  /// process has. No bytes at all may be sent in place of more. Throw Error.
  virtual Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) = 0;
  virtual Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) = 0;
  /// Moves on what is under way. Called often.
  virtual void progress() noexcept {}
  /// Begins to take leave of the other ranks, and goes on with it: true when done. No transfer is active.
  virtual bool leave() noexcept { return true; }

  /// Whether fragments of this side, of its memory or packed beside it, may be given to the link.
  virtual bool carries(const MessageBuffer& side) const { return side.on_device(); }
  /// Whether the user's memory itself may. Precondition: carries().
  virtual bool in_place(const MessageBuffer& side) const;
  /// `bytes` bytes beside the side, or nothing if there are none to be had.
  virtual std::optional<DeviceMemory> allocate(const MessageBuffer& side, std::int64_t bytes) const;
};

/// Whether bytes of each rank's current device arrive by `link` in that of the next rank, within a time that
/// leaves room for connecting. Collective.
bool proves_itself(GpuChannel& link, MPI_Comm comm,
                   std::chrono::milliseconds patience = std::chrono::milliseconds(30'000));

}  // namespace typewarp::transport
