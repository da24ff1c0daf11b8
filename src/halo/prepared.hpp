// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/setup.hpp"
#include "transport/send.hpp"

#include <typewarp/batch.hpp>

#include <optional>

namespace typewarp::halo {

/// One stage of an exchange of fields at given addresses, in given width: all that it needs, ready to go.
class Prepared {
 public:
  /// Throws InvalidArgument that names "data[i]" for fields that cannot be parts of one message.
  Prepared(const Setup& setup, std::span<const Field> fields, const Stage& stage);

  void pack(Stream stream);
  void poison(Stream stream);
  void unpack(Stream stream);
  /// Posts all receives and starts all sends, behind what `stream` holds.
  void start(Stream stream, std::vector<Request>& requests);

  std::int64_t bytes_sent() const noexcept;
  std::int64_t messages_sent() const noexcept { return static_cast<std::int64_t>(sends_.size()); }

 private:
  /// A part of a field that is packed into, or unpacked from, the buffer by itself.
  struct Part {
    std::byte* data;
    Plan plan;
    std::int64_t place;
  };
  class Builder;

  const Setup& setup_;
  std::vector<Part> packed_, unpacked_, poisoned_;
  std::optional<Batch> packing_, unpacking_, poisoning_;
  std::vector<transport::Sending> sends_, receives_;
};

}  // namespace typewarp::halo
