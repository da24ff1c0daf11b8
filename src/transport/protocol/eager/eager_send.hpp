// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/buffer/message_buffer.hpp"
#include "transport/mpi/point_to_point.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/request/operation.hpp"

#include <memory>
#include <utility>

namespace typewarp::transport {

extern const ProtocolRow eager_row;

/// Of host memory, by a blocking call: longer ones feel an operation no more.
inline constexpr std::int64_t longest_packed_at_once = std::int64_t{64} << 10;

/// Packed bytes of a message, in memory that it may share with others.
struct Packed {
  std::shared_ptr<const Staging> staging;
  std::int64_t place = 0;
};

/// The whole packed stream as one message: eager within a Session, and all there is outside.
class EagerSend final : public Operation {
 public:
  EagerSend(MessageBuffer side, const Peer& to, std::shared_ptr<Progress> home)
      : Operation(to, std::move(home)), side_(std::move(side)) {
    status_.bytes = side_.bytes;
  }

  /// `packed`: what has been packed of it already, if that has. Throws MpiError, GpuError.
  void start(SendMode mode, const Packed& packed);

 private:
  bool run(bool block) override;
  void fail() override {}
  bool is_send() const noexcept override { return true; }
  void withdraw() override {
    message_.cancel();
    withdrawn_ = true;
  }
  const std::byte* data();

  MessageBuffer side_;
  Packed packed_;
  Posted message_;
  bool withdrawn_ = false;
};

}  // namespace typewarp::transport
