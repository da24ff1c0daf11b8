// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/exchanges.hpp"
#include "support/expect_invalid.hpp"

#include <array>
#include <random>
#include <utility>

namespace typewarp {
namespace {

using test::content;
using test::Exchanges;
using test::Lane;

// Each rank adds and chooses layouts by itself, also other ones than its peers in the same start.
TEST_F(Exchanges, StoreFromEachLayoutThatWasAdded) {
  TYPEWARP_NEEDS_RANKS(2);
  const Lane lane;
  constexpr std::int64_t rows = 6, width = 16, bytes = rows * width;
  const std::vector<Plan> plans{commit(contiguous(bytes, Named::byte)),
                                commit(hvector(rows, width, 3 * width, Named::byte)),
                                commit(hvector(rows, width, -2 * width, Named::byte))};
  const auto begin_of = [&](std::size_t plan) { return plan == 2 ? 2 * width * (rows - 1) : 0; };
  const auto stride_of = [&](std::size_t plan) {
    return std::array<std::int64_t, 3>{width, 3 * width, -2 * width}[plan];
  };
  constexpr std::int64_t room = 3 * bytes;
  const auto memory = test::memory_of_part(0, room), own = test::memory_of_part(0, room);
  const auto target = test::memory_of_part(0, bytes);
  const auto parts = [&](std::size_t source, std::size_t destination) {
    auto* const from = static_cast<std::byte*>(memory->data()) + begin_of(source);
    auto* const to = static_cast<std::byte*>(own->data()) + begin_of(destination);
    return std::pair(
        std::vector<OutgoingPart>{{from, 1, plans[source], partner()}, {from, 1, plans[source], rank_}},
        IncomingPart{to, 1, plans[destination], rank_});
  };
  const auto [first_sends, first_own] = parts(0, 0);
  const std::vector<IncomingPart> receives{{target->data(), 1, plans[0], partner()}, first_own};
  Exchange exchange(mpi::ranks(comm_), first_sends, receives);
  if (exchange.ways().direct_sends != 2 || exchange.ways().direct_receives != 2) {
    EXPECT_EQ(test::invalid_argument([&] { exchange.add_layout(first_sends, std::span(&first_own, 1)); }),
              "sends.size()");
    return;
  }
  EXPECT_EQ(test::invalid_argument([&] { exchange.start(lane.get(), {.layout = 1}); }),
            "displacements.layout");
  for (std::size_t i = 1; i < 9; ++i) {
    const auto [sends, own_receive] = parts(i % 3, i / 3);
    ASSERT_EQ(exchange.add_layout(sends, std::span(&own_receive, 1)), i);
  }
  std::mt19937 random(static_cast<unsigned>(rank_));
  test::Bytes from(static_cast<std::size_t>(room)), found;
  for (int start = 0; start < 40; ++start) {
    const std::size_t layout = random() % 9;
    const auto place = [&](std::size_t plan, std::int64_t i) {
      return static_cast<std::size_t>(begin_of(plan) + i / width * stride_of(plan) + i % width);
    };
    from.assign(from.size(), std::byte{1});
    for (std::int64_t i = 0; i < bytes; ++i) from[place(layout % 3, i)] = content(rank_, start + i);
    memory->write(from);
    own->write(test::Bytes(static_cast<std::size_t>(room), std::byte{2}));
    exchange.start(lane.get(), {.layout = layout});
    exchange.wait();
    found.resize(static_cast<std::size_t>(bytes));
    target->read(found);
    for (std::int64_t i = 0; i < bytes; ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i)], content(partner(), start + i)) << "start " << start;
    test::Bytes wanted(static_cast<std::size_t>(room), std::byte{2});
    for (std::int64_t i = 0; i < bytes; ++i) wanted[place(layout / 3, i)] = content(rank_, start + i);
    found.resize(wanted.size());
    own->read(found);
    ASSERT_EQ(found, wanted) << "start " << start;
    MPI_Barrier(comm_);  // the peer has read what this rank overwrites next
  }
  const auto refused = [&](std::vector<OutgoingPart> sends, const IncomingPart& own_receive) {
    return test::invalid_argument([&] { exchange.add_layout(sends, std::span(&own_receive, 1)); });
  };
  auto [sends, own_receive] = parts(1, 1);
  EXPECT_EQ(refused({sends[0]}, own_receive), "sends.size()");
  EXPECT_EQ(test::invalid_argument([&] { exchange.add_layout(sends, {}); }), "own_receives.size()");
  const Plan half = commit(contiguous(bytes / 2, Named::byte));
  EXPECT_EQ(refused({sends[0], {memory->data(), 1, half, rank_}}, own_receive), "sends[1].count");
  EXPECT_EQ(refused(sends, {own->data(), 1, half, rank_}), "own_receives[0].count");
  EXPECT_EQ(refused({sends[1], sends[0]}, own_receive), "sends[0].peer");
  std::vector<std::byte> host(static_cast<std::size_t>(room));
  EXPECT_EQ(refused({sends[0], {host.data(), 1, plans[0], rank_}}, own_receive), "sends[1].buffer");
  // One behind the other, at other places.
  from.assign(from.size(), std::byte{1});
  const std::int64_t by = 16;
  for (std::int64_t i = 0; i < bytes; ++i) from[static_cast<std::size_t>(by + i)] = content(rank_, i);
  memory->write(from);
  own->write(test::Bytes(static_cast<std::size_t>(room), std::byte{2}));
  MPI_Barrier(comm_);
  for (const std::size_t layout : {4U, 8U, 2U, 1U, 3U}) exchange.start(lane.get(), {.layout = layout});
  exchange.start(lane.get(), {.sends = by, .own_receives = 2 * by, .layout = 3});
  exchange.wait();
  found.resize(static_cast<std::size_t>(bytes));
  target->read(found);
  for (std::int64_t i = 0; i < bytes; ++i)
    ASSERT_EQ(found[static_cast<std::size_t>(i)], content(partner(), i));
  found.resize(static_cast<std::size_t>(room));
  own->read(found);
  for (std::int64_t i = 0; i < bytes; ++i) {
    const auto place = static_cast<std::size_t>(2 * by + i / width * 3 * width + i % width);
    ASSERT_EQ(found[place], content(rank_, i)) << i;
  }
}

// Which nothing stores.
TEST_F(Exchanges, AddLayoutsWithPartsThatAreEmpty) {
  const Lane lane;
  const Plan plan = commit(Named::int32), rows = commit(hvector(2, 4, 8, Named::byte));
  const auto source = test::memory_of_part(0, 16), target = test::memory_of_part(0, 32);
  const std::vector<OutgoingPart> sends{{source->data(), 0, plan, rank_}, {source->data(), 2, plan, rank_}};
  const std::vector<IncomingPart> receives{{target->data(), 0, plan, rank_},
                                           {target->data(), 2, plan, rank_}};
  Exchange exchange(mpi::ranks(comm_), sends, receives);
  if (exchange.ways().direct_sends != 1) return;
  const std::vector<IncomingPart> others{{target->data(), 0, plan, rank_}, {target->data(), 1, rows, rank_}};
  ASSERT_EQ(exchange.add_layout(sends, others), 1U);
  test::Bytes bytes(16);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = content(rank_, static_cast<std::int64_t>(i));
  source->write(bytes);
  test::Bytes wanted(32, std::byte{3}), found(32);
  target->write(wanted);
  exchange.start(lane.get(), {.layout = 1});
  exchange.wait();
  for (std::size_t i = 0; i < 8; ++i) wanted[i / 4 * 8 + i % 4] = bytes[i];
  target->read(found);
  EXPECT_EQ(found, wanted);
}

}  // namespace
}  // namespace typewarp
