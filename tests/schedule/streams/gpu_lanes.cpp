// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/lanes.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

namespace typewarp::test {

// With TYPEWARP_TEST_PARTS=mixed the kinds take turns; else all parts are on the device.
std::unique_ptr<Memory> memory_of_part(std::size_t number, std::int64_t bytes) {
  constexpr std::array kinds{Source::device, Source::pageable, Source::device, Source::pinned,
                             Source::managed};
  const char* const asked = std::getenv("TYPEWARP_TEST_PARTS");
  const bool mixed = asked != nullptr && std::string_view(asked) == "mixed";
  return allocate(mixed ? kinds[number % kinds.size()] : Source::device, bytes);
}

struct Lane::State {
  OwnStream stream;
};

Lane::Lane() : state_(std::make_unique<State>()) {}
Lane::~Lane() = default;

Stream Lane::get() const noexcept { return state_->stream.get(); }

std::string obstacle_to_lanes() { return gpu_present() ? "" : "needs a GPU"; }

}  // namespace typewarp::test
