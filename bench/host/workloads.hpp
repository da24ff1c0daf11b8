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
/// Gerstenberger, Hoefler) and the six types of figure 4 in paper 000.
namespace typewarp::bench {

/// Page-aligned memory, written once so that it is mapped.
class Buffer {
 public:
  explicit Buffer(std::int64_t bytes);

  std::byte* data() const noexcept { return data_.get(); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
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
struct Case {
  std::string name;
  std::function<Workload()> make;
};

/// An empty message and one of 8 contiguous bytes: what a call costs.
std::vector<Case> overhead_cases();
std::vector<Case> ddtbench_cases();
std::vector<Case> figure4_cases();

}  // namespace typewarp::bench
