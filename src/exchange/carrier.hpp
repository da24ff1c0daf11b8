// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "exchange/links.hpp"
#include "transport/memory/host_buffer.hpp"

#include <mpi.h>

#include <vector>

namespace typewarp::exchange {

/// What the streams of an exchange, or else its caller, and its messages tell each other.
class Turns {
 public:
  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  virtual ~Turns() = default;

  /// Whether one more start has come, with all packed that a device packs. Asked when the memory for what is
  /// sent is free.
  virtual bool begun() = 0;
  /// That memory is free again.
  virtual void sent() = 0;
  /// What was received is there: that of the host in its place.
  virtual void received() = 0;
  /// Whether the memory for what is received is free again. Asked after received().
  virtual bool unpacked() = 0;
};

/// A part and where its packed bytes lie.
struct Packed {
  Part part;
  std::byte* data;
};

/// The messages of an exchange that the MPI carries, by persistent requests. Not for several threads at once.
class Carrier {
 public:
  /// `pinned`: whether a device packs and unpacks. Throws MpiError, GpuError.
  Carrier(MPI_Comm comm, const Links& links, bool pinned);
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;
  /// Cancels what has not come, and frees all requests.
  ~Carrier();

  /// What a device packs, and unpacks.
  const std::vector<Packed>& packed_on_stream() const noexcept { return stream_sends_; }
  const std::vector<Packed>& unpacked_on_stream() const noexcept { return stream_receives_; }

  /// Moves messages, and the parts of the host, on as far as that is possible without waiting; whether they
  /// moved. Throws MpiError.
  bool step(Turns& turns);
  /// Whether something that is sent is not with the MPI yet: step() is still wanted.
  bool sending() const noexcept { return sending_; }
  /// A rank that what has begun waits for; MPI_ANY_SOURCE if that is none.
  int awaited_peer() const;
  /// Leaves everything to the MPI for good: peers are late or gone.
  void abandon() noexcept;

 private:
  Carrier() = default;
  bool step_sends(Turns& turns);
  bool step_receives(Turns& turns);

  gpu::PinnedBuffer pinned_;
  transport::HostBuffer pageable_;
  std::vector<Packed> stream_sends_, stream_receives_, host_sends_, host_receives_;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<int> senders_;  ///< of each of the receives
  bool sending_ = false, receiving_ = false, arrived_ = false;
  std::int64_t starts_begun_ = 0, starts_received_ = 0;
};

}  // namespace typewarp::exchange
