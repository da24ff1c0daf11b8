// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/ring/shm_ring.hpp"

namespace typewarp::transport {

/// The sender's end of a message that goes through a ring.
class RingWriter {
 public:
  /// `side` and `policy` must outlive this.
  RingWriter(OwnRing ring, const MessageBuffer& side, const RingPolicy& policy);

  /// `readable`: whether the receiver may read the user's memory already.
  RingKey offer(bool readable) const noexcept {
    const bool has_data = readable && side_.in_place();
    return {ring_.number(), ring_.ring().first,
            has_data ? reinterpret_cast<std::uintptr_t>(side_.route.first) : 0};
  }
  /// Packs as much as there is room for, up to a limit.
  void advance();
  /// Tells the receiver that no more data comes. The user's memory is not read any more.
  void fail() noexcept { ring_.ring().fail(); }
  /// The receiver's answer; nothing until it comes.
  std::optional<Cts> answer() const noexcept;
  /// Changes with each step of progress.
  std::int64_t steps() const noexcept { return written_ + seen_ + copied_; }

 private:
  bool write();

  OwnRing ring_;
  const MessageBuffer& side_;
  const RingPolicy& policy_;
  std::int64_t written_ = 0;
  std::int64_t seen_ = 0;    ///< of what has been read, when that was last looked at
  std::int64_t copied_ = 0;  ///< the same, out of the user's memory
};

/// The receiver's end.
class RingReader {
 public:
  /// For a message that fits. The arguments must outlive this. Throws Error if there is no such ring.
  RingReader(const Rings& rings, const RingPolicy& policy, const MessageBuffer& side, const Rts& rts,
             const RingKey& offer);

  /// Unpacks what has arrived, up to a limit. Returns true when all is in place and the sender knows. Throws
  /// Error if the sender failed.
  bool advance();
  /// Drops the message: the user's memory is not written any more.
  void discard() noexcept { discarding_ = true; }
  /// Changes whenever something got done.
  std::int64_t steps() const noexcept { return read_; }

 private:
  bool read();
  bool read_memory();
  bool end(Cts::Code code);

  const Rings& rings_;
  Ring ring_;
  const std::byte* data_ = nullptr;  ///< in the sender's memory, if that is read
  const MessageBuffer& side_;
  const RingPolicy& policy_;
  int sender_;
  std::int64_t bytes_;
  std::int64_t read_ = 0;
  bool discarding_ = false;
  bool over_ = false;
};

}  // namespace typewarp::transport
