// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/fields.hpp"
#include "halo/random_case.hpp"
#include "support/environment.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo_on_streams.hpp>

namespace typewarp::test {
namespace {

class HaloOnStreams : public Session {};

TEST_F(HaloOnStreams, EveryCellIsAsItsCoordinatesSay) {
  for (std::uint64_t seed = 1; seed <= at_most_types(ranks_ > 2 ? 20 : 40); ++seed) {
    const RandomCase one(comm_, seed);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << one.text());
    std::vector<Patch> patches;
    std::vector<halo::Field> fields;
    for (const Whole& whole : one.fields) {
      fields.push_back(patches.emplace_back(one.grid, whole, patches.size()).field());
    }
    Exchange exchange = halo::on_streams(one.grid, fields);
    for (int round = 0; round < 2; ++round) {
      for (Patch& patch : patches) patch.fill();
      exchange.start(field_stream());
      exchange.wait();
      for (Patch& patch : patches) ASSERT_EQ(patch.difference().value_or("none"), "none");
    }
  }
}

TEST_F(HaloOnStreams, RefuseWhatOneProcessHasOtherwise) {
  const halo::ProcessGrid grid(comm_, {0}, {true});
  std::vector<double> cells(100);
  const int width = rank_ == 0 && ranks_ > 1 ? 2 : 1;
  const halo::Field field(cells.data(), {halo::Descriptor{width, width, 10, 90, 100}});
  if (ranks_ == 1) GTEST_SKIP() << "needs two ranks";
  EXPECT_THROW(halo::on_streams(grid, {field}), Error);
}

}  // namespace
}  // namespace typewarp::test
