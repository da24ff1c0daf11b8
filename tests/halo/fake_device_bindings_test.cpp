// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges that work on one set of device memory after the other.

#include "halo/bindings.hpp"
#include "halo/fake_device_fixture.hpp"

#include <string>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

std::vector<void*> addresses(const std::vector<Patch>& patches) {
  std::vector<void*> data;
  for (const Patch& patch : patches) data.push_back(patch.field().data());
  return data;
}

// Sets of other numbers each: a halo tells from which it was filled.
TEST_F(HaloFakeDevice, GraphsStandForCallsAsLongAsTheirMemoryIsBound) {
  std::vector<Patch> others = patches(10);
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const FakeGraph pack([&] { exchange.pack(field_stream()); });
  const FakeGraph unpack([&] { exchange.unpack(field_stream()); });
  for (int i = 0; i < 2; ++i) {
    for (Patch& patch : patches_) patch.fill();
    pack.replay();
    exchange.start_exchange(field_stream());
    exchange.wait();
    unpack.replay();
    expect_right();

    for (Patch& patch : others) patch.fill();
    exchange.bind(addresses(others));
    pack.replay();  // of what is not bound
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
    exchange.exchange(field_stream());
    expect_right(others);
    exchange.bind(addresses(patches_));
  }
  expect_right(others);
}

// A set that is given up takes with it what kernels that were launched for it use.
TEST_F(HaloFakeDevice, WaitsForASetThatItGivesUp) {
  constexpr std::size_t staying = halo::Bindings::most_others;
  std::vector<std::vector<Patch>> others;
  for (std::size_t i = 0; i <= staying; ++i) others.push_back(patches(10 * (i + 1)));
  for (Patch& patch : patches_) patch.fill();
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::device});
  exchange.exchange(field_stream());
  const std::size_t under_way = moves_under_way();
  EXPECT_GT(under_way, 0U);
  for (std::size_t i = 0; i < staying; ++i) {
    exchange.bind(addresses(others[i]));
    EXPECT_EQ(moves_under_way(), under_way) << i;
  }
  exchange.bind(addresses(others[staying]));
  EXPECT_EQ(moves_under_way(), 0U);
  expect_right();

  for (std::vector<Patch>* const set : {&others[staying], &patches_}) {
    for (Patch& patch : *set) patch.fill();
    exchange.bind(addresses(*set));
    exchange.exchange(field_stream());
    expect_right(*set);
  }
}

}  // namespace
}  // namespace typewarp::test
