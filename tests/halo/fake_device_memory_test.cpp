// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields of one exchange in several kinds of memory.

#include "halo/fake_device_fixture.hpp"
#include "halo/moved_fields.hpp"

#include <string>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

// No message takes all of them in place.
TEST_F(HaloFakeDevice, FieldsInSeveralKindsOfMemoryArePackedByTheirProcess) {
  TYPEWARP_NEEDS_RANKS(2);
  for (const bool everywhere : {true, false}) {
    SCOPED_TRACE(everywhere ? "on all ranks" : "on one rank");
    MovedFields mixed(patches_, {Place::patch, Place::pinned, Place::pageable});
    const bool here = everywhere || rank_ == 1;
    const std::vector<halo::Field>& fields = here ? mixed.fields() : fields_;
    fill();
    const Exchange in_place(*grid_, fields, {.packing = Packing::datatype, .buffers = halo::Buffers::device});
    EXPECT_EQ(in_place.packing(), here ? Packing::manual : Packing::datatype);

    Exchange exchange(*grid_, fields, {.buffers = halo::Buffers::device});
    exchange.tune(field_stream());
    mixed.fill();
    exchange.exchange(field_stream());
    if (here) mixed.give();
    expect_right();
  }
}

TEST_F(HaloFakeDevice, AutomaticSendsManyBytesOfSeveralFieldsInPlace) {
  TYPEWARP_NEEDS_RANKS(2);
  const halo::ProcessGrid line(comm_, {0, 1}, {true, false});
  const auto expect_packing = [&](std::int64_t row, Packing if_reached) {
    const std::vector<halo::Descriptor> descriptors{halo::with_halo(5, 1), halo::with_halo(row, 0)};
    const auto first = allocate_field(7 * row * 8);
    const auto second = allocate_field(7 * row * 8);
    const Exchange exchange(
        line, {{first->data(), Named::double_, descriptors}, {second->data(), Named::double_, descriptors}});
    const bool reached = exchange.buffers() == halo::Buffers::device;
    EXPECT_EQ(exchange.packing(), reached ? if_reached : Packing::manual) << row;
  };
  constexpr std::int64_t bytes_of_a_column = 2 * 2 * 8;  // two fields, a row to each side
  expect_packing(4'900'000 / bytes_of_a_column, Packing::manual);
  expect_packing(5'100'000 / bytes_of_a_column, Packing::datatype);
}

// The first rank only receives what the last one only sends.
TEST_F(HaloFakeDevice, AutomaticPacksFieldsInSeveralKindsOfMemory) {
  TYPEWARP_NEEDS_RANKS(2);
  const halo::ProcessGrid line(comm_, {0, 1}, {false, false});
  for (const std::int64_t row : {std::int64_t{6}, std::int64_t{400'000}}) {
    const std::vector<halo::Descriptor> descriptors{halo::with_halo(5, 1), halo::with_halo(row, 0)};
    const auto on_device = allocate_field(7 * row * 8);
    const gpu::PinnedBuffer pinned(7 * row * 8);
    const Exchange exchange(
        line,
        {{on_device->data(), Named::double_, descriptors}, {pinned.data(), Named::double_, descriptors}},
        {.sides = {{1, 0}}});
    EXPECT_EQ(exchange.packing(), Packing::manual) << row;
  }
}

}  // namespace
}  // namespace typewarp::test
