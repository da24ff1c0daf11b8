// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <typewarp/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

/// What the programs of this folder differ in.
namespace typewarp::test {

/// Memory for a part, of a kind that may depend on its number.
std::unique_ptr<Memory> memory_of_part(std::size_t number, std::int64_t bytes);

/// A stream of the suite's own; a null one without a device.
class Lane {
 public:
  Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane();

  Stream get() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Why the suite cannot run here; empty if it can.
std::string obstacle_to_lanes();

}  // namespace typewarp::test
