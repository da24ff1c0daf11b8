// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/traffic.hpp"

#include "support/random_type.hpp"

#include <gtest/gtest.h>

namespace typewarp::test {
namespace {

std::uint64_t seed_of(std::uint64_t seed, int from, int to, int part) {
  return 100000 * seed + 1000 * static_cast<std::uint64_t>(from) + 10 * static_cast<std::uint64_t>(to) +
         static_cast<std::uint64_t>(part) + 1;
}

// The same on the sender and the receiver.
Datatype type_of(std::uint64_t seed) {
  if (seed % 7 == 0) return contiguous(0, Named::double_);
  return random_type(seed, {.max_size = seed % 3 == 0 ? 40000 : 600});
}

}  // namespace

Placed::Placed(std::size_t number, const Datatype& type, std::uint64_t seed)
    : image(type, 1, seed), memory(memory_of_part(number, static_cast<std::int64_t>(image.bytes().size()))) {
  memory->write(image.bytes());
}

void* Placed::origin() {
  const auto offset =
      reinterpret_cast<std::intptr_t>(image.origin()) - reinterpret_cast<std::intptr_t>(image.bytes().data());
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(memory->data()) + offset);
}

Bytes Placed::bytes() {
  Bytes read(image.bytes().size());
  memory->read(read);
  return read;
}

PartTraffic::PartTraffic(int rank, int ranks, int parts, std::uint64_t seed) {
  std::size_t number = seed;
  for (int other = 0; other < ranks; ++other) {
    for (int part = 0; part < parts; ++part) {
      const std::uint64_t out_seed = seed_of(seed, rank, other, part);
      const Datatype out = type_of(out_seed);
      sent.push_back(std::make_unique<Placed>(number++, out, out_seed));
      sends.push_back({sent.back()->origin(), 1, commit(out), other});
      const std::uint64_t in_seed = seed_of(seed, other, rank, part);
      const Datatype in = type_of(in_seed);
      const Datatype room = scattered_like(in, 1, seed);
      received.push_back(std::make_unique<Placed>(number++, room, seed));
      receives.push_back({received.back()->origin(), 1, commit(room), other});
      expected.push_back(std::make_unique<Placed>(1, room, seed));
      UserBuffer theirs(in, 1, in_seed);
      scatter(gathered(theirs, in, 1), expected.back()->image, room, 1);
    }
  }
}

void PartTraffic::expect_arrived() {
  for (std::size_t i = 0; i < received.size(); ++i) {
    EXPECT_EQ(received[i]->bytes(), expected[i]->image.bytes()) << "part " << i;
  }
}

void PartTraffic::clear() {
  for (const auto& part : received) part->memory->write(part->image.bytes());
}

}  // namespace typewarp::test
