// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"

#include <vector>

namespace typewarp::transport {

/// One turn for all sides of a call which one stream orders: to mark it and to ask about it takes longer than
/// all else that a short message needs.
class StreamPoints {
 public:
  /// The side's turn is that of the sides before it that have its stream. To be called at the time that the
  /// turn is of, and for as long as the caller gives the stream nothing to do. Throws GpuError.
  void give(MessageBuffer& side) {
    if (!side.ordered()) return;
    for (const Known& known : known_) {
      if (known.stream == side.stream && known.device == side.device) return side.take(known.turn);
    }
    known_.push_back({side.stream, side.device, StreamPoint(side.device, side.stream)});
    side.take(known_.back().turn);
  }

 private:
  struct Known {
    Stream stream;
    int device;
    StreamPoint turn;
  };
  std::vector<Known> known_;
};

}  // namespace typewarp::transport
