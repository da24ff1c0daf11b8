// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/lanes.hpp"
#include "support/host_memory.hpp"

namespace typewarp::test {

std::unique_ptr<Memory> memory_of_part(std::size_t, std::int64_t bytes) {
  return std::make_unique<HostMemory>(bytes);
}

struct Lane::State {};

Lane::Lane() = default;
Lane::~Lane() = default;

Stream Lane::get() const noexcept { return nullptr; }

std::string obstacle_to_lanes() { return {}; }

}  // namespace typewarp::test
