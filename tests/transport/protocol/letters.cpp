// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/letters.hpp"

#include "support/random.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"

#include <cstdlib>

namespace typewarp::test {
namespace {

constexpr int tags = 3;

Datatype random_payload(Random& random, std::uint64_t seed) {
  switch (random.range(0, 9)) {
    case 0:
      return contiguous(random.range(0, 700), Named::byte);  // about the eager limit and the descriptor
    case 1:
      return vector(random.range(1, 40'000), random.range(1, 3), 4, Named::int_);
    case 2:
      return contiguous(random.range(0, 20'000), Named::double_);
    case 3:
      if (random.one_in(20)) return vector(random.range(1, 300'000), 1, 2, Named::double_);
      [[fallthrough]];
    default:
      return random_type(seed, {.max_size = 8192, .max_extent = 1 << 15});
  }
}

}  // namespace

Letter random_letter(std::uint64_t seed, int ranks) {
  Random random(seed);
  Letter letter{};
  letter.source = static_cast<int>(random.range(0, ranks - 1));
  letter.destination = static_cast<int>(random.range(0, ranks - 1));
  letter.tag = static_cast<int>(random.range(0, tags - 1));
  letter.seed = seed;
  letter.sent = random_payload(random, seed);
  letter.count = letter.sent.size() > 10'000 ? 1 : random.range(0, 3);
  const std::int64_t bytes = letter.bytes();
  letter.received = bytes > 10'000 || random.one_in(2) ? vector(bytes, 1, random.range(1, 2), Named::byte)
                                                       : scattered_like(letter.sent, letter.count, seed);
  return letter;
}

int letters_asked_for(int otherwise) {
  const char* const asked = std::getenv("TYPEWARP_TEST_MESSAGES");
  return asked != nullptr ? std::atoi(asked) : otherwise;
}

}  // namespace typewarp::test
