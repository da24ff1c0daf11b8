// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>

namespace typewarp::test {

/// What all ranks agree on of a message without speaking of it.
struct Letter {
  int source;
  int destination;
  int tag;
  std::uint64_t seed;
  Datatype sent;
  Datatype received;
  std::int64_t count;

  std::int64_t bytes() const { return sent.size() * count; }
};

/// The same for the same seed: any type, of nothing up to megabytes, and another type of its signature to
/// receive it as.
Letter random_letter(std::uint64_t seed, int ranks);

/// How many letters a suite is to send, by TYPEWARP_TEST_MESSAGES; `otherwise` if that is not set.
int letters_asked_for(int otherwise);

}  // namespace typewarp::test
