// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/collective_starts.hpp"

#include "engine/runtime/stream.hpp"
#include "plan/arithmetic.hpp"

namespace typewarp::exchange {

CollectiveStarts::CollectiveStarts(int device, int rank, std::span<std::byte* const> memories)
    : reduction_(device, rank, memories, /*in_a_row=*/true) {
  gpu::NumbersOfRanks numbers{};
  for (const auto moved : {gpu::NumbersOfRanks::Result::from_root, gpu::NumbersOfRanks::Result::gathered}) {
    numbers.result = moved;
    reduction_.load(numbers);
  }
  numbers.result = gpu::NumbersOfRanks::Result::of_all;
  for (int value = 0; value <= static_cast<int>(Named::two_integer); ++value) {
    numbers.type = static_cast<Named>(value);
    if (plan::visit_number(numbers.type, [](auto, plan::NumberKind) {})) reduction_.load(numbers);
  }
}

void CollectiveStarts::enqueue(const gpu::NumbersOfRanks& numbers, Stream stream) {
  const std::uint64_t before = reduction_.enqueued();
  is_torn_ = false;
  if (gpu::capturing(stream)) captured_.store(true);
  try {
    reduction_.enqueue(numbers, stream);
  } catch (...) {
    is_torn_ = reduction_.enqueued() != before;
    throw;
  }
}

bool CollectiveStarts::changed() noexcept {
  const std::uint64_t ended = reduction_.ended();
  const bool counted = std::exchange(ended_seen_, ended) != ended;
  return reduction_.waits_anew() || counted;
}

}  // namespace typewarp::exchange
