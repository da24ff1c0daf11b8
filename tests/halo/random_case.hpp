// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/patch.hpp"

namespace typewarp::test {

/// A random exchange, the same on all processes for the same seed, but for the layouts of fields, and half of
/// the time for the packing.
struct RandomCase {
  RandomCase(MPI_Comm comm, std::uint64_t seed);

  halo::ProcessGrid grid;
  std::vector<Whole> fields;
  halo::Options options;
  std::int64_t width;

  std::string text() const;
};

}  // namespace typewarp::test
