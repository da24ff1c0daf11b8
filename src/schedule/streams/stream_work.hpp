// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signalled_copies.hpp"
#include "schedule/streams/host_transport.hpp"
#include "schedule/streams/watched_streams.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace typewarp::exchange {

/// What an exchange enqueues on streams, and the words in memory by which host and streams signal to each
/// other. A start has four steps:
///   1. raise the credits of the ranks that push to this one, and wait for the credits of this rank,
///   2. store everything: push parts, and pack those that the MPI carries,
///   3. raise the arrivals, and wait for those at this rank,
///   4. unpack what the MPI carried, and count the start as ended.
/// The first three are one launch, or three (SignalledCopies); the fourth needs another one if the MPI
/// carries. Where short runs are stored packed, these are pushed first, and their arrivals waited for, in the
/// same way; they are unpacked beside what is stored then, which crosses the link meanwhile. Flags are
/// lowered by who waits for them: a peer raises one again only after this rank has answered. So a start is
/// the same every time, as a graph needs it.
class StreamWork final : public StartSignals, public WatchedStreams {
 public:
  /// `transport` is null if the MPI carries nothing. Keeps `connections`. Throws GpuError.
  StreamWork(const Connections& connections, const HostTransport* transport, int device, gpu::FlagWait wait);

  /// Starts may store these in place of the connections' pushes. Only if the MPI carries nothing. Throws
  /// GpuError.
  void add_layout(const std::vector<Push>& pushes);

  /// Enqueues a start. Throws GpuError, and then the stream may hold a part of it.
  void enqueue(Stream stream, const PartDisplacements& displacements);

  bool done() const noexcept override;
  /// Kernels tell of it late.
  bool waits() const noexcept override;
  bool changed() noexcept override;
  bool captured() const noexcept override { return captured_.load(); }
  void check_device() const override;
  void release() override;
  StartSignals* signals() noexcept override { return this; }

  std::optional<std::int64_t> begun() override;
  void sent() override;
  void received() override;
  bool unpacked() override;
  /// Gives up the memory that the device may still use.
  void abandon() noexcept { words_memory_.abandon(); }

 private:
  struct Words;
  struct Stores {
    std::unique_ptr<gpu::SignalledCopies> packed;  ///< null: nothing is, at this rank or from it
    std::unique_ptr<gpu::SignalledCopies> rest;
  };

  void add(const std::vector<Push>& pushes, const HostTransport* transport);

  int device_;
  const Connections& connections_;
  gpu::FlagWait wait_;
  gpu::PinnedBuffer words_memory_;
  Words* words_;
  std::vector<Stores> layouts_;
  std::optional<gpu::SignalledCopies> unpacks_;  ///< if the MPI carries
  std::atomic<std::uint64_t> started_ = 0;
  std::uint64_t ended_seen_ = 0;
  std::atomic<bool> captured_ = false;
};

}  // namespace typewarp::exchange
