// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/channel.hpp"
#include "transport/channel/gpu/gpu_channel.hpp"

namespace typewarp::transport {

/// Fragments that are messages of the MPI's or of a link's, each of its own bytes.
class TransferSend : public SendChannel {
 public:
  void send(std::int64_t number, const std::byte* data, std::int64_t bytes) final {
    sent_[number] = start(data, bytes);
  }
  bool released(std::int64_t number) final { return sent_[number].test(); }
  void send_failure() final { failure_ = start(nullptr, 0); }
  bool failure_left() final { return failure_.test(); }

 protected:
  virtual Transfer start(const std::byte* data, std::int64_t bytes) = 0;

 private:
  PerFragment<Transfer> sent_;
  Transfer failure_;
};

class TransferReceive : public ReceiveChannel {
 public:
  void receive(std::int64_t slot, std::byte* data, std::int64_t bytes, int tag) final {
    posted_[slot] = {start(data, bytes, tag), bytes};
  }
  Arrival arrived(std::int64_t slot) final {
    Posting& posting = posted_[slot];
    std::int64_t bytes = 0;
    if (!posting.transfer.test(&bytes)) return Arrival::under_way;
    return bytes != 0 && bytes == posting.bytes ? Arrival::whole : Arrival::nothing;
  }
  void cancel(std::int64_t slot) final { posted_[slot].transfer.cancel(); }
  void unpack(std::int64_t, const MessageBuffer& side, ByteRange range, const std::byte* data,
              std::optional<gpu::Event>& done, std::int64_t number) final {
    side.unpack(range, data, done, number);
  }

 protected:
  virtual Transfer start(std::byte* data, std::int64_t bytes, int tag) = 0;

 private:
  struct Posting {
    Transfer transfer;
    std::int64_t bytes = 0;
  };
  PerFragment<Posting> posted_;
};

}  // namespace typewarp::transport
