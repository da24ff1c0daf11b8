// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/prepared.hpp"
#include "halo/stream_order.hpp"

#include <exception>

namespace typewarp::halo {

/// How far an exchange has come: its stages are packed, sent and received one after the other, and all but
/// the last unpacked. What fails is thrown at the end only: neighbours wait for messages of all stages, and
/// get empty ones from then on.
class StageProgress {
 public:
  explicit StageProgress(StreamOrder& order) : order_(order) {}

  /// Packs the first of `stages`, which stay; throws at once.
  void pack(std::span<Prepared> stages, Stream stream);
  /// The same for messages that start() sends in the same call: those in place may go beside packing, which
  /// only reads fields. What fails is kept.
  void pack_to_start(std::span<Prepared> stages, Stream stream);
  /// Starts the messages of the first stage, which is packed, behind what the stream holds if they have no
  /// order yet.
  void start(std::span<Prepared> stages, Stream stream);
  /// Goes on until all data has come; false if that would take waiting and `block` does not allow it. Throws
  /// what has failed.
  bool advance(bool block);
  /// Whether something has failed.
  bool failed() const noexcept { return failure_ != nullptr; }
  /// Ends all messages, and does nothing any more.
  void give_up() noexcept { requests_.clear(); }

 private:
  enum class Step : std::uint8_t { pack, send, receive };

  void begin(std::span<Prepared> stages, Stream stream);
  bool do_step(bool block);
  bool pack_now(bool block);
  bool send_now(bool block);
  bool receive_now(bool block);
  template <typename Do>
  bool attempt(Do step);

  StreamOrder& order_;
  std::span<Prepared> stages_;
  Stream stream_ = nullptr;
  std::size_t stage_ = 0;
  Step next_ = Step::pack;
  bool has_order_ = false;  ///< whether the messages of the stage have theirs
  std::vector<Request> requests_;
  std::exception_ptr failure_;
};

}  // namespace typewarp::halo
