// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/setup.hpp"
#include "transport/protocol/send.hpp"

#include <typewarp/batch.hpp>

#include <optional>

namespace typewarp::halo {

/// One stage of an exchange of fields at given addresses, in given width: all that it needs, ready to go.
class Prepared {
 public:
  Prepared(const Setup& setup, std::span<const Field> fields, const Stage& stage);

  void pack(Stream stream) { packing_->pack(stream); }
  void unpack(Stream stream) { unpacking_->unpack(stream); }
  bool poisons() const noexcept { return poisoning_.has_value(); }
  /// If this poisons().
  void poison(Stream stream) { poisoning_->unpack(stream); }
  /// Whether the host moves some of that, at once; and that of fields in page-locked memory, which the device
  /// may be using: pack() has to come when the stream is done.
  bool moves_on_host() const noexcept { return on_host_; }
  bool moves_pinned_on_host() const noexcept { return pinned_on_host_; }
  /// Whether none of it is moved at once: by the host, or between pageable memory and a device.
  bool can_be_captured() const noexcept { return !on_host_ && !staged_; }

  /// Whether messages may go before what is packed beside them: poison must come first.
  bool sends_in_place() const noexcept { return !setup_.packs() && !poisons(); }
  /// Whether start() must not come before what `stream` holds is done: messages in page-locked memory go at
  /// once.
  bool starts_late() const noexcept { return setup_.pins() && !(sends_.empty() && receives_.empty()); }
  /// The messages will go, and be written to the fields, behind what `stream` holds now.
  void order(Stream stream);
  /// Posts all receives and starts all sends, which have their order.
  void start(std::vector<Request>& requests);
  /// In place of start(), or of what it could not start when it threw: neighbours get an empty message for
  /// each, and theirs go nowhere.
  void start_failed(std::vector<Request>& requests) const;
  /// Waits for what was started. Throws what failed, and Error for a message that a neighbour could not send.
  void finish(std::vector<Request>& requests) const;

  std::int64_t bytes_sent() const noexcept;
  std::int64_t messages_sent() const noexcept { return static_cast<std::int64_t>(sends_.size()); }

 private:
  class Builder;

  const Setup& setup_;
  std::optional<Batch> packing_, unpacking_, poisoning_;
  std::vector<transport::Sending> sends_, receives_;
  bool on_host_ = false, pinned_on_host_ = false, staged_ = false;
};

}  // namespace typewarp::halo
