// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/bindings.hpp"
#include "halo/setup.hpp"

#include <typewarp/halo.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace typewarp::halo {

/// What an exchange is made of, and how far it has come.
struct Exchange::State {
  /// What comes next; nothing after messages have failed, since neighbours may be an exchange further.
  enum class Phase : std::uint8_t { packing, starting, waiting, unpacking, failed };

  State(const ProcessGrid& grid, std::vector<Field> described, const Options& options);
  ~State();

  Binding& bound() { return bindings.bound(); }
  template <typename Count>
  std::int64_t total(Count count) {
    std::int64_t result = 0;
    for (const Prepared& prepared : bound().stages) result += (prepared.*count)();
    return result;
  }
  void use(std::span<const Field> others, std::int64_t other_width);
  /// Whether no exchange is under way.
  bool idle() { return phase == Phase::packing || (phase == Phase::unpacking && bound().unpacked_by_graph); }
  void require(bool in_order, const char* function) const;
  /// For a stream that is captured.
  void check_capture(bool possible, const char* function) const;
  /// Returns when `of_caller` is done, if the host is to move what it may be using.
  void settle(Stream of_caller, bool by_host) const;
  /// Packs the first stage. `to_start`: whether it is sent at once, so that messages in place may go beside
  /// packing, which only reads fields.
  void begin(Stream of_caller, bool to_start);
  /// Starts the messages of the first stage, behind what the stream holds if they have no order yet.
  void start(Stream of_caller);
  /// Packs a stage that is not packed yet. This and the next two return false if that would take waiting and
  /// `block` does not allow it.
  bool pack_next(bool block);
  void poison();
  void unpack(Stream of_caller);
  /// Starts the messages of a stage that is packed.
  bool send(bool block);
  /// Goes on from there to the next stage, or to unpacking() after the last, when the data has come.
  bool advance(bool block);
  void accumulate(Accumulation& accumulation, Operation operation, Stream of_caller);
  /// The device of a stream, or of the fields if it is a default stream; -1 for the current one.
  int device_of(Stream of_caller) const;
  void follow(Stream of_caller);
  template <typename Step>
  void enqueue(Stream of_caller, Step step);
  /// A stream that follows what `of_caller` holds, and runs beside it from then on; itself without a device.
  Stream stream_beside(Stream of_caller);
  void rejoin(Stream of_caller) const;
  template <typename Step>
  void guard(Buffer& of_messages, Step step);

  std::vector<Field> fields;
  Options asked;
  Setup setup;
  std::int64_t width = full_width;
  Bindings bindings;
  Phase phase = Phase::packing;
  std::size_t stage = 0;
  bool ordered = false;     ///< whether the messages of the stage have their order
  bool packed = false;      ///< whether the stage is
  bool sent = false;        ///< whether its messages were started
  Stream stream = nullptr;  ///< of start_exchange()
  std::vector<Request> requests;
  std::optional<gpu::OwnStream> own_stream;  ///< of overlap()
  std::optional<gpu::Event> enqueued;        ///< the last of what uses the buffers
};

/// Calls `step`, which sends and receives. Where that throws, others may have got this exchange's messages or
/// not, and what is left of them may still use the buffer: nothing goes on from there.
template <typename Step>
void Exchange::State::guard(Buffer& of_messages, Step step) {
  try {
    step();
  } catch (...) {
    phase = Phase::failed;
    requests.clear();
    of_messages.abandon();
    throw;
  }
}

}  // namespace typewarp::halo
