// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

namespace typewarp::exchange {

/// What one rank tells another while an exchange is made: values, to be taken in the order in which they were
/// put.
class Packet {
 public:
  Packet() = default;
  explicit Packet(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <typename Value>
    requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) {
    put_bytes(std::as_bytes(std::span(&value, 1)));
  }
  /// Throws Error if it gets longer than an int counts.
  void put_bytes(std::span<const std::byte> bytes) {
    if (bytes.size() > longest - bytes_.size()) {
      throw Error("typewarp::Exchange: more parts for one peer than can be told");
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }

  /// Throws Error if there is less, as for take_bytes().
  template <typename Value>
    requires std::is_trivially_copyable_v<Value>
  Value take() {
    Value value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(std::size_t bytes) {
    if (bytes > bytes_.size() - taken_) throw Error("typewarp::Exchange: a peer told less than it must");
    taken_ += bytes;
    return std::span(bytes_).subspan(taken_ - bytes, bytes);
  }

  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t longest = std::numeric_limits<int>::max();

  std::vector<std::byte> bytes_;
  std::size_t taken_ = 0;
};

/// By the rank that they go to, or come from.
using Packets = std::map<int, Packet>;

}  // namespace typewarp::exchange
