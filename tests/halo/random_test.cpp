// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/fields.hpp"
#include "halo/random_case.hpp"
#include "support/environment.hpp"
#include "transport/fixture.hpp"

namespace typewarp::test {
namespace {

class HaloRandom : public Session {};

TEST_F(HaloRandom, EveryCellIsAsItsCoordinatesSay) {
  const std::uint64_t usual = ranks_ > 2 ? 40 : 100;  // more ranks than processors take long
  const std::uint64_t first = from_environment("TYPEWARP_TEST_SEED", 1);
  for (std::uint64_t seed = first; seed < first + at_most_types(usual); ++seed) {
    const RandomCase one(comm_, seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << one.text());
    std::vector<Patch> patches;
    std::vector<halo::Field> fields;
    for (const Whole& whole : one.fields) {
      fields.push_back(patches.emplace_back(one.grid, whole, patches.size()).field());
    }
    halo::Exchange exchange(one.grid, fields, one.options);
    exchange.set_width(one.width);
    exchange.exchange(field_stream());
    for (Patch& patch : patches) {
      ASSERT_EQ(patch.difference(one.options.sides, one.width).value_or("none"), "none");
    }
    for (Patch& patch : patches) patch.fill();
    exchange.set_width(halo::full_width);
    exchange.exchange(field_stream());
    for (Patch& patch : patches) ASSERT_EQ(patch.difference(one.options.sides).value_or("none"), "none");
  }
}

}  // namespace
}  // namespace typewarp::test
