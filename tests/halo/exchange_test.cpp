// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "support/variable.hpp"
#include "transport/fixture.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Messages;
using halo::Options;
using halo::Packing;
using halo::ProcessGrid;

constexpr std::int64_t width = 2;

/// 5 x 6 owned numbers a process, on a periodic grid of two dimensions.
class HaloExchange : public Session, public testing::WithParamInterface<Packing> {
 protected:
  void SetUp() override {
    Session::SetUp();
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0}, std::vector{true, true});
  }
  void TearDown() override {
    grid_.reset();
    Session::TearDown();
  }

  Whole whole() const {
    const auto axis = [&](std::int64_t length, int along) {
      const auto processes = static_cast<std::size_t>(grid_->sizes()[static_cast<std::size_t>(along)]);
      return Axis{std::vector(processes, length), width, width, 0, 0, along};
    };
    return {Named::double_, {axis(5, 0), axis(6, 1)}, {}};
  }
  Options options() const { return {.packing = GetParam()}; }

  std::unique_ptr<ProcessGrid> grid_;
};

void expect_right(Patch& patch, std::int64_t of_width = halo::full_width) {
  EXPECT_EQ(patch.difference({}, of_width).value_or("none"), "none");
}
void expect_untouched(Patch& patch) { EXPECT_EQ(patch.contents(), patch.initial()); }

TEST_P(HaloExchange, OccursAsOftenAsAsked) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  EXPECT_EQ(exchange.packing(), GetParam());
  for (int i = 0; i < 3; ++i) {
    patch.fill();
    exchange.exchange(field_stream());
    expect_right(patch);
  }
}

TEST_P(HaloExchange, WorksOnWhatIsBound) {
  Patch a(*grid_, whole(), 1), b(*grid_, whole(), 2), c(*grid_, whole(), 3);
  void* const addresses[] = {a.field().data(), b.field().data(), c.field().data()};
  Exchange exchange(*grid_, {a.field(), b.field()}, options());
  exchange.bind(std::array{addresses[1], addresses[2]});
  exchange.exchange(field_stream());
  expect_untouched(a);
  expect_right(b);
  expect_right(c);
  for (Patch* patch : {&a, &b, &c}) patch->fill();
  exchange.bind(std::array{addresses[1], addresses[0]});
  EXPECT_EQ(exchange.fields()[1].data(), addresses[0]);
  exchange.exchange(field_stream());
  expect_right(a);
  expect_right(b);
  expect_untouched(c);
}

TEST_P(HaloExchange, WalksMemoryBackwards) {
  Whole backwards = whole();
  std::vector<std::int64_t> lengths;
  for (const Axis& axis : backwards.axes) lengths.push_back(axis.minus + axis.lengths[0] + axis.plus);
  for (const std::vector<std::int64_t>& strides :
       {std::vector{-lengths[1], std::int64_t{1}}, {lengths[1], -1}, {-1, -lengths[0]}}) {
    backwards.storage = halo::Storage::strided(strides);
    Patch patch(*grid_, backwards, 1);
    Exchange exchange(*grid_, {patch.field()}, options());
    exchange.exchange(field_stream());
    expect_right(patch);
  }
}

TEST_P(HaloExchange, ForgetsTheOldestOfManyBindings) {
  std::vector<Patch> patches;
  for (std::uint64_t i = 0; i < 12; ++i) patches.emplace_back(*grid_, whole(), i);
  Exchange exchange(*grid_, {patches.front().field()}, options());
  for (int round = 0; round < 2; ++round) {
    for (Patch& patch : patches) {
      patch.fill();
      exchange.bind(std::array{patch.field().data()});
      exchange.exchange(field_stream());
      expect_right(patch);
    }
  }
}

TEST_P(HaloExchange, FillsLessOfAHalo) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  const std::int64_t all = exchange.bytes_sent();
  for (const std::int64_t narrow : {std::int64_t{1}, std::int64_t{0}, width, std::int64_t{1}}) {
    patch.fill();
    exchange.set_width(narrow);
    exchange.exchange(field_stream());
    expect_right(patch, narrow);
    EXPECT_EQ(exchange.bytes_sent() == all, narrow == width || ranks_ == 1);
  }
  EXPECT_THROW(exchange.set_width(-1), InvalidArgument);
}

TEST_P(HaloExchange, SeveralAreInFlightAtOnce) {
  std::vector<Patch> patches;
  std::vector<Exchange> exchanges;
  for (std::uint64_t i = 0; i < 3; ++i) {
    patches.emplace_back(*grid_, whole(), i);
    exchanges.emplace_back(*grid_, std::vector{patches.back().field()}, options());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    // Not in the same order everywhere.
    Exchange& exchange = exchanges[(i + static_cast<std::size_t>(rank_)) % 3];
    exchange.pack(field_stream());
    exchange.start_exchange(field_stream());
  }
  for (Exchange& exchange : exchanges) exchange.wait();
  for (Exchange& exchange : exchanges) exchange.unpack(field_stream());
  for (Patch& patch : patches) expect_right(patch);
}

// Without waiting for the unpacking of the one before.
TEST_P(HaloExchange, FollowsAnother) {
  Patch a(*grid_, whole(), 1), b(*grid_, whole(), 2);
  Exchange first(*grid_, {a.field()}, options());
  Exchange second(*grid_, {a.field(), b.field()}, options());
  for (Exchange* const exchange : {&first, &second, &second, &first}) exchange->exchange(field_stream());
  expect_right(a);
  expect_right(b);
}

TEST_P(HaloExchange, CanBePolled) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  while (!exchange.ready()) {}
  EXPECT_TRUE(exchange.ready());
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right(patch);
}

TEST_P(HaloExchange, GoesOnBesideOtherWork) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  int works = 0;
  exchange.overlap([&] { ++works; }, field_stream());
  EXPECT_EQ(works, 1);
  expect_right(patch);

  patch.fill();
  const auto failing = [] { throw std::domain_error("of the work's own"); };
  EXPECT_THROW(exchange.overlap(failing, field_stream()), std::domain_error);
  expect_right(patch);
  patch.fill();
  exchange.exchange(field_stream());
  expect_right(patch);
}

TEST_P(HaloExchange, RefusesCallsOutOfOrder) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
  EXPECT_THROW(exchange.wait(), Error);
  EXPECT_THROW(exchange.unpack(field_stream()), Error);
  EXPECT_THROW(static_cast<void>(exchange.ready()), Error);
  exchange.pack(field_stream());
  EXPECT_THROW(exchange.pack(field_stream()), Error);
  EXPECT_THROW(exchange.wait(), Error);
  EXPECT_THROW(exchange.bind(std::array{patch.field().data()}), Error);
  EXPECT_THROW(exchange.set_width(1), Error);
  exchange.start_exchange(field_stream());
  EXPECT_THROW(exchange.pack(field_stream()), Error);
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right(patch);
}

TEST_P(HaloExchange, NamesWhatCannotBeBound) {
  Patch patch(*grid_, whole(), 1);
  Exchange exchange(*grid_, {patch.field()}, options());
  const auto argument = [&](const std::vector<void*>& data) {
    return invalid_argument([&] { exchange.bind(data); });
  };
  EXPECT_EQ(argument({}), "data.size()");
  EXPECT_EQ(argument({nullptr}), "data[0]");
  exchange.exchange(field_stream());
  expect_right(patch);
}

TEST_P(HaloExchange, MayBeDroppedInFlight) {
  Patch patch(*grid_, whole(), 1);
  {
    Exchange dropped(*grid_, {patch.field()}, options());
    dropped.pack(field_stream());
    dropped.start_exchange(field_stream());
    MPI_Barrier(comm_);  // so that nothing is cancelled that is still to be sent
  }
  patch.fill();
  MPI_Barrier(comm_);
  Exchange exchange(*grid_, {patch.field()}, options());
  exchange.exchange(field_stream());
  expect_right(patch);
}

TEST_P(HaloExchange, SendsAMessageForAProcess) {
  Patch a(*grid_, whole(), 1), b(*grid_, whole(), 2);
  std::set<int> processes;
  for (const halo::Direction& side : halo::all_directions(2)) processes.insert(grid_->neighbour(side));
  processes.erase(rank_);
  for (const Messages messages : {Messages::automatic, Messages::each}) {
    Exchange exchange(
        *grid_, {a.field(), b.field()},
        {.packing = GetParam(), .messages = messages, .diagonals = halo::Diagonals::by_dimension});
    EXPECT_EQ(exchange.messages(), Messages::together);
    EXPECT_EQ(exchange.messages_sent(), std::ssize(processes));
    exchange.exchange(field_stream());
    expect_right(a);
    expect_right(b);
  }
}

TEST_P(HaloExchange, SendsNothingToItself) {
  const ProcessGrid alone(MPI_COMM_SELF, {1, 1}, {true, true});
  Whole part = whole();
  for (Axis& axis : part.axes) axis.lengths.resize(1);
  Patch patch(alone, part, 1);
  Exchange exchange(alone, {patch.field()}, options());
  EXPECT_EQ(exchange.messages_sent(), 0);
  EXPECT_EQ(exchange.bytes_sent(), 0);
  exchange.exchange(field_stream());
  expect_right(patch);
}

/// Of elements below the first owned row, before the first owned column, and in the corner: how many are
/// nothing but bytes of value 255.
int poisoned(Patch& patch) {
  int count = 0;
  for (const std::vector<std::int64_t>& at : {std::vector{width - 1, width}, {width, width - 1}, {0, 0}}) {
    count += patch.element(at) == Bytes(sizeof(double), std::byte{255}) ? 1 : 0;
  }
  return count;
}

TEST_P(HaloExchange, PoisonsHalosUntilDataComes) {
  if (GetParam() == Packing::datatype) GTEST_SKIP() << "packing datatype writes halos at any time";
  const Variable nothing("TYPEWARP_HALO_POISON", "0");
  for (const bool asked : {false, true}) {
    for (const char* variable : {"0", "1"}) {
      const Variable environment("TYPEWARP_HALO_POISON", variable);
      Patch patch(*grid_, whole(), 1);
      Exchange exchange(*grid_, {patch.field()}, {.packing = GetParam(), .poison = asked});
      exchange.pack(field_stream());
      exchange.start_exchange(field_stream());
      EXPECT_EQ(poisoned(patch), asked || variable[0] == '1' ? 3 : 0);
      exchange.wait();
      exchange.unpack(field_stream());
      expect_right(patch);
    }
  }
  const Variable wrong("TYPEWARP_HALO_POISON", "yes");
  Patch patch(*grid_, whole(), 1);
  EXPECT_THROW(Exchange(*grid_, {patch.field()}, options()), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Packings, HaloExchange, testing::Values(Packing::manual, Packing::datatype),
                         [](const auto& packing) { return std::string(halo::name(packing.param)); });

}  // namespace
}  // namespace typewarp::test
