// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

/// A device that is none: linked instead of the CUDA engine, it has the host move bytes, late, and can be
/// made to fail. So what the transport does with devices runs without one. A stream does a fragment of its
/// work whenever somebody asks for an event of it that has not come.
namespace typewarp::test {

/// Host memory that counts as the device's while this lives.
class DeviceMemory {
 public:
  DeviceMemory(std::byte* first, std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

 private:
  const std::byte* first_;
};

enum class DeviceFailure {
  preparation,  ///< of a copy, when it joins a batch
  launch,       ///< of moves, when they are enqueued: nothing is
  execution,    ///< of moves, of which their event tells
  event,        ///< when one is made
};

/// While this lives, the `nth` (1, 2, ...) from now on fails. One at a time.
class FailingDevice {
 public:
  FailingDevice(DeviceFailure what, int nth);
  FailingDevice(const FailingDevice&) = delete;
  FailingDevice& operator=(const FailingDevice&) = delete;
  ~FailingDevice();

  /// Whether it has come.
  bool happened() const;
};

/// The first use of a plan from now on waits until it is released, for ten seconds at the most. One at a
/// time.
class HeldPreparation {
 public:
  HeldPreparation();
  HeldPreparation(const HeldPreparation&) = delete;
  HeldPreparation& operator=(const HeldPreparation&) = delete;
  ~HeldPreparation();

  /// Returns when some thread waits there.
  void await() const;
  /// Whether it does.
  bool holds() const;
  void release();
};

/// How often it has been asked about a stream since the program began.
int questions_about_streams();
/// The same of whether a stream is idle: once for each turn that is marked.
int turns_marked();
/// And how many launches there had been when the last one was.
std::uint64_t launches_before_turn();
/// How often it has been asked whether an event has come.
int events_asked();
/// One time more: for the fake itself.
void count_question();

/// What the device can be told to be like.
enum class Quirk {
  captured_streams,  ///< every stream is being captured
  scarce_pinned,     ///< page-locked buffers of more than so many bytes cannot be had
  exports,           ///< its memory can be named for the process itself; 2: for others, too (fake_share.hpp)
  own_names,         ///< each process has another
  short_batches,     ///< a launch makes so many gathered copies at the most
  quirks
};
/// 0: it is not.
inline std::atomic<std::size_t> quirk_of_device[static_cast<std::size_t>(Quirk::quirks)];

/// While this lives, the device is so. One of each at a time.
template <Quirk quirk>
class QuirkyDevice {
 public:
  explicit QuirkyDevice(std::size_t value = 1) { set(value); }
  QuirkyDevice(const QuirkyDevice&) = delete;
  QuirkyDevice& operator=(const QuirkyDevice&) = delete;
  ~QuirkyDevice() { set(0); }

 private:
  static void set(std::size_t value) { quirk_of_device[static_cast<std::size_t>(quirk)] = value; }
};
using CapturedStreams = QuirkyDevice<Quirk::captured_streams>;
using ScarcePinnedMemory = QuirkyDevice<Quirk::scarce_pinned>;
using ExportedMemory = QuirkyDevice<Quirk::exports>;
using ShortBatches = QuirkyDevice<Quirk::short_batches>;

/// Launches that were enqueued and not yet made; so far.
std::size_t moves_under_way();
/// Page-locked buffers in use.
std::size_t pinned_buffers();

}  // namespace typewarp::test
