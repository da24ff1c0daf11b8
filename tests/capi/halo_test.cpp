// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What the calls in C do is what the classes of C++ do, byte for byte.

#include "capi/fixture.hpp"

#include <algorithm>

namespace typewarp::test {
namespace {

std::vector<std::int64_t> listed(const halo::Box& box) {
  std::vector<std::int64_t> made;
  for (const halo::Range& range : box) made.insert(made.end(), {range.begin, range.end});
  return made;
}

std::vector<std::int64_t> listed(const tw_halo_range* box) {
  return {box[0].begin, box[0].end, box[1].begin, box[1].end};
}

TEST_F(HaloInC, DomainsTellWhatTheyAre) {
  std::array<std::int64_t, 2> whole{};
  std::array<std::int64_t, 2> origin{};
  ASSERT_EQ(tw_halo_domain_get(domain_, whole.data(), origin.data()), TW_SUCCESS);
  EXPECT_EQ(std::vector(whole.begin(), whole.end()), twin_->global_cells());
  EXPECT_EQ(std::vector(origin.begin(), origin.end()), twin_->origin());
  ASSERT_EQ(tw_halo_domain_get(domain_, nullptr, nullptr), TW_SUCCESS);

  const std::array staggered{0, 1};
  EXPECT_EQ(tw_halo_domain_elements(domain_, nullptr), twin_->elements());
  EXPECT_EQ(tw_halo_domain_elements(domain_, staggered.data()), twin_->elements({1}));
  std::array<tw_halo_descriptor, 2> descriptors{};
  ASSERT_EQ(tw_halo_domain_descriptors(domain_, staggered.data(), descriptors.data()), TW_SUCCESS);
  for (std::size_t d = 0; d < 2; ++d) {
    const tw_halo_descriptor& one = descriptors[d];
    const halo::Descriptor same{one.minus, one.plus, one.begin, one.end, one.total_length};
    EXPECT_EQ(same, twin_->descriptors({1})[d]);
  }

  std::array<tw_halo_range, 2> inner{};
  ASSERT_EQ(tw_halo_domain_interior(domain_, inner.data()), TW_SUCCESS);
  EXPECT_EQ(listed(inner.data()), listed(twin_->interior()));
  std::array<tw_halo_range, 8> boxes{};
  int count = -1;
  ASSERT_EQ(tw_halo_domain_boundary(domain_, &count, boxes.data()), TW_SUCCESS);
  const std::vector<halo::Box> expected = twin_->boundary();
  ASSERT_EQ(count, static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(listed(boxes.data() + 2 * i), listed(expected[i]));
  }
}

TEST_F(HaloInC, GridsTellWhatTheyAre) {
  tw_halo_grid* grid = nullptr;
  const std::array sizes{ranks_, 1};
  ASSERT_EQ(tw_halo_grid_create(comm_, 2, sizes.data(), periodic.data(), &grid), TW_SUCCESS);
  const halo::ProcessGrid same(comm_, {ranks_, 1}, {true, false});
  int dimensions = 0;
  std::array<int, 2> lengths{};
  std::array<int, 2> place{};
  std::array<int, 2> repeats{};
  ASSERT_EQ(tw_halo_grid_get(grid, &dimensions, lengths.data(), repeats.data(), place.data()), TW_SUCCESS);
  EXPECT_EQ(dimensions, 2);
  EXPECT_EQ(std::vector(lengths.begin(), lengths.end()), same.sizes());
  EXPECT_EQ(repeats, periodic);
  EXPECT_EQ(std::vector(place.begin(), place.end()), same.coordinates());
  for (const halo::Direction& direction : halo::all_directions(2)) {
    int rank = -5;
    ASSERT_EQ(tw_halo_grid_neighbour(grid, direction.data(), &rank), TW_SUCCESS);
    EXPECT_EQ(rank, same.neighbour(direction));
  }
  tw_halo_grid* again = nullptr;
  ASSERT_EQ(tw_halo_grid_of(same.comm(), &again), TW_SUCCESS);
  std::array<int, 2> place_again{-1, -1};
  ASSERT_EQ(tw_halo_grid_get(again, nullptr, nullptr, nullptr, place_again.data()), TW_SUCCESS);
  EXPECT_EQ(place_again, place);
  EXPECT_EQ(tw_halo_grid_of(comm_, &grid), TW_ERR_ARGUMENT);
  tw_halo_grid_free(again);
  tw_halo_grid_free(grid);
}

TEST_F(HaloInC, ArraysOfADomainAreExchanged) {
  Numbers one = numbers(twin_->elements(), 1);
  Numbers other = numbers(twin_->elements(), 2);
  Numbers same_one = one;
  Numbers same_other = other;
  tw_halo_exchange* exchange = nullptr;
  const std::array<void*, 2> arrays{one.data(), other.data()};
  ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 2, arrays.data(), nullptr, &exchange),
            TW_SUCCESS)
      << tw_error_text();
  halo::Exchange twin = twin_->exchange_init(same_one.data(), same_other.data());
  ASSERT_EQ(tw_halo_exchange_run(exchange, nullptr), TW_SUCCESS);
  twin.exchange(nullptr);
  EXPECT_EQ(one, same_one);
  EXPECT_EQ(other, same_other);

  std::int64_t bytes = -1;
  std::int64_t messages = -1;
  ASSERT_EQ(tw_halo_exchange_get(exchange, &bytes, &messages, nullptr, nullptr, nullptr), TW_SUCCESS);
  EXPECT_EQ(bytes, twin.bytes_sent());
  EXPECT_EQ(messages, twin.messages_sent());

  ASSERT_EQ(tw_halo_exchange_accumulate(exchange, TW_SUM, nullptr), TW_SUCCESS);
  twin.accumulate(Operation::sum, nullptr);
  EXPECT_EQ(one, same_one);
  tw_halo_exchange_free(exchange);
}

TEST_F(HaloInC, OptionsAreTaken) {
  Numbers one = numbers(twin_->elements(), 1);
  Numbers other = numbers(twin_->elements(), 2);
  const std::array<void*, 2> arrays{one.data(), other.data()};
  for (const int packing : {TW_HALO_MANUAL, TW_HALO_DATATYPE}) {
    tw_halo_options chosen{};
    chosen.packing = packing;
    chosen.messages = TW_HALO_EACH;
    chosen.diagonals = TW_HALO_BY_DIMENSION;
    tw_halo_exchange* exchange = nullptr;
    ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 2, arrays.data(), &chosen, &exchange),
              TW_SUCCESS);
    const halo::Exchange twin(
        twin_->grid(),
        {halo::Field(one.data(), twin_->descriptors()), halo::Field(other.data(), twin_->descriptors())},
        {.packing = static_cast<halo::Packing>(packing)});
    std::int64_t sent = -1;
    int packing_taken = -1;
    int messages_taken = -1;
    int buffers_taken = -1;
    ASSERT_EQ(tw_halo_exchange_get(exchange, nullptr, &sent, &packing_taken, &messages_taken, &buffers_taken),
              TW_SUCCESS);
    EXPECT_EQ(sent, twin.messages_sent());
    EXPECT_EQ(packing_taken, packing);
    EXPECT_EQ(messages_taken, TW_HALO_TOGETHER);
    EXPECT_EQ(buffers_taken, static_cast<int>(twin.buffers()));
    tw_halo_exchange_free(exchange);
  }
}

TEST_F(HaloInC, HalosArePoisoned) {
  TYPEWARP_NEEDS_RANKS(2);
  Numbers memory = numbers(twin_->elements(), 1);
  tw_halo_options chosen{};
  chosen.packing = TW_HALO_MANUAL;
  chosen.poison = 1;
  tw_halo_exchange* exchange = nullptr;
  const std::array<void*, 1> array{memory.data()};
  ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 1, array.data(), &chosen, &exchange),
            TW_SUCCESS);
  const auto poisoned = [&] { return std::ranges::count_if(memory, [](double one) { return one != one; }); };
  ASSERT_EQ(tw_halo_exchange_pack(exchange, nullptr), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_start(exchange, nullptr), TW_SUCCESS);
  EXPECT_GT(poisoned(), 0);
  ASSERT_EQ(tw_halo_exchange_wait(exchange), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_unpack(exchange, nullptr), TW_SUCCESS);
  EXPECT_EQ(poisoned(), 0);
  tw_halo_exchange_free(exchange);
}

// Step by step, on other memory, less of a halo, and only some sides.
TEST_F(HaloInC, PartsOfAnExchangeAreCalledAlone) {
  const std::array sides{-1, 0, 1, 0};
  tw_halo_options chosen{};
  chosen.packing = TW_HALO_MANUAL;
  chosen.side_count = 2;
  chosen.sides = sides.data();
  Numbers first = numbers(twin_->elements(), 1);
  Numbers numbers_here = numbers(twin_->elements(), 2);
  Numbers same = numbers_here;
  const Numbers before = first;
  tw_halo_exchange* exchange = nullptr;
  const std::array<void*, 1> array{first.data()};
  ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 1, array.data(), &chosen, &exchange),
            TW_SUCCESS);
  const std::array<void*, 1> bound{numbers_here.data()};
  ASSERT_EQ(tw_halo_exchange_bind(exchange, 1, bound.data()), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_set_width(exchange, 1), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_pack(exchange, nullptr), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_start(exchange, nullptr), TW_SUCCESS);
  int ready = -1;
  ASSERT_EQ(tw_halo_exchange_ready(exchange, &ready), TW_SUCCESS);
  EXPECT_TRUE(ready == 0 || ready == 1);
  ASSERT_EQ(tw_halo_exchange_wait(exchange), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_ready(exchange, &ready), TW_SUCCESS);
  EXPECT_EQ(ready, 1);
  ASSERT_EQ(tw_halo_exchange_unpack(exchange, nullptr), TW_SUCCESS);

  halo::Exchange twin(twin_->grid(), {halo::Field(same.data(), twin_->descriptors())},
                      {.packing = halo::Packing::manual, .sides = {{-1, 0}, {1, 0}}});
  twin.set_width(1);
  twin.exchange(nullptr);
  EXPECT_EQ(numbers_here, same);
  EXPECT_EQ(first, before);
  tw_halo_exchange_free(exchange);
}

// Any elements, in Fortran order, staggered, beside an array that is not divided in its first dimension.
TEST_F(HaloInC, FieldsMayLieAsTheyLike) {
  const std::array staggered{1, 0};
  std::array<tw_halo_descriptor, 2> at_faces{};
  ASSERT_EQ(tw_halo_domain_descriptors(domain_, staggered.data(), at_faces.data()), TW_SUCCESS);
  MPI_Datatype vector = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(3, MPI_DOUBLE, &vector);
  const std::int64_t extent = 3 * sizeof(double);
  const std::array<std::int64_t, 2> strides{extent, extent * at_faces[0].total_length};
  const std::array<tw_halo_descriptor, 2> undivided{{{0, 0, 0, 2, 3}, {1, 1, 1, 4, 6}}};
  const std::array along{-1, 1};
  Numbers velocity = numbers(3 * twin_->elements({0}), 1);
  Numbers tracers = numbers(18, 2);
  Numbers same_velocity = velocity;
  Numbers same_tracers = tracers;
  const std::array<tw_halo_field, 2> fields{
      {{velocity.data(), vector, 2, at_faces.data(), strides.data(), nullptr},
       {tracers.data(), MPI_DOUBLE, 2, undivided.data(), nullptr, along.data()}}};
  tw_halo_exchange* exchange = nullptr;
  ASSERT_EQ(tw_halo_exchange_create(tw_halo_domain_grid(domain_), 2, fields.data(), nullptr, &exchange),
            TW_SUCCESS)
      << tw_error_text();
  MPI_Type_free(&vector);
  ASSERT_EQ(tw_halo_exchange_run(exchange, nullptr), TW_SUCCESS);

  const std::vector<halo::Field> twins{
      {same_velocity.data(), contiguous(3, Named::double_), twin_->descriptors({0}),
       halo::Storage::fortran()},
      {same_tracers.data(), Named::double_, {{0, 0, 0, 2, 3}, {1, 1, 1, 4, 6}}, halo::Storage(), {-1, 1}}};
  halo::Exchange(twin_->grid(), twins).exchange(nullptr);
  EXPECT_EQ(velocity, same_velocity);
  EXPECT_EQ(tracers, same_tracers);
  tw_halo_exchange_free(exchange);
}

TEST_F(HaloInC, WorkIsDoneMeanwhile) {
  Numbers memory = numbers(twin_->elements(), 1);
  tw_halo_exchange* exchange = nullptr;
  const std::array<void*, 1> array{memory.data()};
  ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 1, array.data(), nullptr, &exchange),
            TW_SUCCESS);
  int done = 0;
  const auto work = [](void* argument) { ++*static_cast<int*>(argument); };
  ASSERT_EQ(tw_halo_exchange_tune(exchange, nullptr), TW_SUCCESS);
  ASSERT_EQ(tw_halo_exchange_overlap(exchange, nullptr, work, &done), TW_SUCCESS);
  EXPECT_EQ(done, 1);
  tw_halo_exchange_free(exchange);
}

}  // namespace
}  // namespace typewarp::test
