// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// The noncontiguous messages of real applications, by their exact parameters: ddtbench (Schneider,
/// Gerstenberger, Hoefler).
namespace typewarp::bench {

/// Gives memory that begins at a page. Types that are made from it hold its addresses; nobody reads or writes
/// it before a message is moved, so whoever wants the layouts alone may give addresses of nothing.
using Allocate = std::function<std::shared_ptr<std::byte>(std::int64_t bytes)>;

class Buffer {
 public:
  Buffer(std::int64_t bytes, const Allocate& allocate) : data_(allocate(bytes)), bytes_(bytes) {}

  std::byte* data() const noexcept { return data_.get(); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  std::shared_ptr<std::byte> data_;
  std::int64_t bytes_;
};

/// One side of a message: `count` items at `buffer`, which is null for a type of absolute addresses.
struct Message {
  Datatype type;
  std::int64_t count;
  std::byte* buffer;
};

/// What is sent (packed) and what is received (unpacked), with the memory that both refer to.
struct Workload {
  std::vector<Buffer> memory;
  Message send;
  Message receive;
};

/// A workload that takes no memory until it is made.
struct NamedWorkload {
  std::string name;
  std::function<Workload(const Allocate&)> make;
};

std::vector<NamedWorkload> ddtbench_cases();

}  // namespace typewarp::bench
