// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What is wrong is named as the call in C names it.

#include "capi/fixture.hpp"
#include "mpi/mpi_type.hpp"

#include <string>
#include <utility>

namespace typewarp::test {
namespace {

/// The text begins with this.
void expect_refused(tw_result result, const std::string& start) {
  EXPECT_EQ(result, TW_ERR_ARGUMENT) << start;
  EXPECT_EQ(std::string(tw_error_text()).substr(0, start.size()), start);
}

class ArgumentsInC : public HaloInC {
 protected:
  void SetUp() override {
    HaloInC::SetUp();
    if (IsSkipped()) return;
    memory_ = numbers(2 * twin_->elements(), 1);
    arrays_ = {memory_.data(), memory_.data() + twin_->elements()};
  }
  void TearDown() override {
    EXPECT_EQ(exchange_, nullptr);
    EXPECT_EQ(made_, nullptr);
    EXPECT_EQ(grid_, nullptr);
    HaloInC::TearDown();
  }

  tw_result create(const tw_halo_domain_options& chosen) {
    return tw_halo_domain_create(comm_, 2, cells.data(), &chosen, &made_);
  }
  tw_result exchange(MPI_Datatype element, int count, const tw_halo_options* chosen = nullptr) {
    return tw_halo_domain_exchange_init(domain_, element, count, arrays_.data(), chosen, &exchange_);
  }
  tw_result exchange(const tw_halo_options& chosen) { return exchange(MPI_DOUBLE, 2, &chosen); }
  tw_result exchange(const tw_halo_field& second) {
    const std::array<tw_halo_field, 2> fields{field(), second};
    return tw_halo_exchange_create(tw_halo_domain_grid(domain_), 2, fields.data(), nullptr, &exchange_);
  }
  /// One that can be exchanged.
  tw_halo_field field() {
    static constexpr std::array<tw_halo_descriptor, 2> whole{{{1, 1, 1, 4, 5}, {1, 1, 1, 4, 5}}};
    return {memory_.data(), MPI_DOUBLE, 2, whole.data(), nullptr, nullptr};
  }
  /// What this rank gives, of which only rank 1's is wrong.
  void expect_failure_of_rank_1(tw_result result, const std::string& start) const {
    if (rank_ == 1) return expect_refused(result, start);
    const std::string told = "rank 1: ";
    const std::string text = tw_error_text();
    EXPECT_EQ(result, TW_ERR_DISAGREEMENT);
    EXPECT_EQ(text.substr(0, told.size()), told);
    const std::string argument = start.substr(start.find(": "));
    EXPECT_NE(text.find(argument), std::string::npos) << text << " has no " << argument;
  }

  Numbers memory_;
  std::array<void*, 2> arrays_{};
  tw_halo_exchange* exchange_ = nullptr;
  tw_halo_domain* made_ = nullptr;
  tw_halo_grid* grid_ = nullptr;
};

TEST_F(ArgumentsInC, OfGridsAreNamed) {
  const std::array sizes{-1, 0};
  expect_refused(tw_halo_grid_create(MPI_COMM_NULL, 2, nullptr, nullptr, &grid_),
                 "tw_halo_grid_create: comm = MPI_COMM_NULL");
  expect_refused(tw_halo_grid_create(comm_, 0, nullptr, nullptr, &grid_),
                 "tw_halo_grid_create: dimensions = 0");
  expect_refused(tw_halo_grid_create(comm_, 2, sizes.data(), nullptr, &grid_),
                 "tw_halo_grid_create: sizes[0] = -1");
  expect_refused(tw_halo_grid_create(comm_, 2, nullptr, nullptr, nullptr),
                 "tw_halo_grid_create: grid = null");
  expect_refused(tw_halo_grid_of(MPI_COMM_NULL, &grid_), "tw_halo_grid_of: cartesian = MPI_COMM_NULL");
  expect_refused(tw_halo_grid_of(comm_, &grid_), "tw_halo_grid_of: cartesian = a communicator of 0");
  expect_refused(tw_halo_grid_of(twin_->grid().comm(), nullptr), "tw_halo_grid_of: grid = null");

  const tw_halo_grid* const grid = tw_halo_domain_grid(domain_);
  const std::array<int, 2> here{0, 0};
  const std::array<int, 2> far{0, 2};
  int rank = -5;
  expect_refused(tw_halo_grid_get(nullptr, &rank, nullptr, nullptr, nullptr),
                 "tw_halo_grid_get: grid = null");
  expect_refused(tw_halo_grid_neighbour(nullptr, here.data(), &rank), "tw_halo_grid_neighbour: grid = null");
  expect_refused(tw_halo_grid_neighbour(grid, nullptr, &rank), "tw_halo_grid_neighbour: direction = null");
  expect_refused(tw_halo_grid_neighbour(grid, here.data(), nullptr), "tw_halo_grid_neighbour: rank = null");
  expect_refused(tw_halo_grid_neighbour(grid, far.data(), &rank), "tw_halo_grid_neighbour: direction[1] = 2");
  EXPECT_EQ(rank, -5);
}

TEST_F(ArgumentsInC, OfDomainsThatAreMadeAreNamed) {
  const std::array<std::int64_t, 2> none{5, 0};
  const std::array processes{3, 1};
  expect_refused(tw_halo_domain_create(MPI_COMM_NULL, 2, cells.data(), nullptr, &made_),
                 "tw_halo_domain_create: comm = MPI_COMM_NULL");
  expect_refused(tw_halo_domain_create(comm_, 9, cells.data(), nullptr, &made_),
                 "tw_halo_domain_create: dimensions = 9");
  expect_refused(tw_halo_domain_create(comm_, 2, nullptr, nullptr, &made_),
                 "tw_halo_domain_create: cells = null");
  expect_refused(tw_halo_domain_create(comm_, 2, none.data(), nullptr, &made_),
                 "tw_halo_domain_create: cells[1] = 0");
  expect_refused(tw_halo_domain_create(comm_, 2, cells.data(), nullptr, nullptr),
                 "tw_halo_domain_create: domain = null");
  expect_refused(create({processes.data(), nullptr, 0}), "tw_halo_domain_create: options.processes[0] = 3");
  expect_refused(create({nullptr, nullptr, -1}), "tw_halo_domain_create: options.width = -1");
}

TEST_F(ArgumentsInC, OfDomainsAreNamed) {
  std::array<tw_halo_descriptor, 2> descriptors{};
  std::array<tw_halo_range, 8> boxes{};
  int count = -5;
  EXPECT_EQ(tw_halo_domain_grid(nullptr), nullptr);
  expect_refused(tw_halo_domain_get(nullptr, nullptr, nullptr), "tw_halo_domain_get: domain = null");
  expect_refused(tw_halo_domain_descriptors(nullptr, nullptr, descriptors.data()),
                 "tw_halo_domain_descriptors: domain = null");
  expect_refused(tw_halo_domain_descriptors(domain_, nullptr, nullptr),
                 "tw_halo_domain_descriptors: descriptors = null");
  EXPECT_EQ(tw_halo_domain_elements(nullptr, nullptr), 0);
  expect_refused(TW_ERR_ARGUMENT, "tw_halo_domain_elements: domain = null");
  expect_refused(tw_halo_domain_interior(nullptr, boxes.data()), "tw_halo_domain_interior: domain = null");
  expect_refused(tw_halo_domain_interior(domain_, nullptr), "tw_halo_domain_interior: box = null");
  expect_refused(tw_halo_domain_boundary(nullptr, &count, boxes.data()),
                 "tw_halo_domain_boundary: domain = null");
  expect_refused(tw_halo_domain_boundary(domain_, nullptr, boxes.data()),
                 "tw_halo_domain_boundary: count = null");
  expect_refused(tw_halo_domain_boundary(domain_, &count, nullptr), "tw_halo_domain_boundary: boxes = null");
  EXPECT_EQ(count, -5);
}

TEST_F(ArgumentsInC, OfExchangesOfArraysAreNamed) {
  expect_refused(tw_halo_domain_exchange_init(nullptr, MPI_DOUBLE, 2, arrays_.data(), nullptr, &exchange_),
                 "tw_halo_domain_exchange_init: domain = null");
  expect_refused(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 2, nullptr, nullptr, &exchange_),
                 "tw_halo_domain_exchange_init: data = null");
  expect_refused(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 2, arrays_.data(), nullptr, nullptr),
                 "tw_halo_domain_exchange_init: exchange = null");
  expect_refused(exchange(MPI_DOUBLE, 0), "tw_halo_domain_exchange_init: count = 0");
  expect_refused(exchange(MPI_DOUBLE, -1), "tw_halo_domain_exchange_init: count = -1");
  arrays_[1] = nullptr;
  expect_refused(exchange(MPI_DOUBLE, 2), "tw_halo_domain_exchange_init: data[1] = null");
}

TEST_F(ArgumentsInC, OfElementsAreNamed) {
  expect_refused(exchange(MPI_DATATYPE_NULL, 1),
                 "tw_halo_domain_exchange_init: element = MPI_DATATYPE_NULL: must be a datatype");
  tw_halo_field wrong = field();
  wrong.element = MPI_DATATYPE_NULL;
  expect_refused(exchange(wrong), "tw_halo_exchange_create: fields[1].element = MPI_DATATYPE_NULL");
  // Which can be decoded, but is no element.
  MPI_Type_contiguous(0, MPI_DOUBLE, &wrong.element);
  expect_refused(exchange(wrong.element, 1), "tw_halo_domain_exchange_init: element = ");
  expect_refused(exchange(wrong), "tw_halo_exchange_create: fields[1].element = ");
  MPI_Type_free(&wrong.element);
}

TEST_F(ArgumentsInC, OfFieldsAreNamed) {
  const tw_halo_grid* const grid = tw_halo_domain_grid(domain_);
  const tw_halo_field right = field();
  expect_refused(tw_halo_exchange_create(nullptr, 1, &right, nullptr, &exchange_),
                 "tw_halo_exchange_create: grid = null");
  expect_refused(tw_halo_exchange_create(grid, 1, nullptr, nullptr, &exchange_),
                 "tw_halo_exchange_create: fields = null");
  expect_refused(tw_halo_exchange_create(grid, 1, &right, nullptr, nullptr),
                 "tw_halo_exchange_create: exchange = null");
  expect_refused(tw_halo_exchange_create(grid, -1, &right, nullptr, &exchange_),
                 "tw_halo_exchange_create: count = -1");
  expect_refused(tw_halo_exchange_create(grid, 0, &right, nullptr, &exchange_),
                 "tw_halo_exchange_create: count = 0");

  const std::array<tw_halo_descriptor, 2> cut{{{1, 1, 1, 4, 5}, {1, 1, 0, 4, 5}}};
  const std::array<std::int64_t, 2> strides{40, 4};
  const std::array along{0, 0};
  const auto refused = [&](auto change, const std::string& start) {
    tw_halo_field wrong = field();
    change(wrong);
    expect_refused(exchange(wrong), "tw_halo_exchange_create: fields[1]." + start);
  };
  refused([](tw_halo_field& wrong) { wrong.data = nullptr; }, "data = null");
  refused([](tw_halo_field& wrong) { wrong.dimensions = 9; }, "dimensions = 9");
  refused([](tw_halo_field& wrong) { wrong.descriptors = nullptr; }, "descriptors = null");
  refused([&](tw_halo_field& wrong) { wrong.descriptors = cut.data(); }, "descriptors[1].begin = 0: must");
  refused([&](tw_halo_field& wrong) { wrong.strides = strides.data(); }, "strides[1] = 4");
  refused([&](tw_halo_field& wrong) { wrong.along = along.data(); }, "along[1] = 0");
}

TEST_F(ArgumentsInC, OfOptionsAreNamed) {
  const std::array sides{-1, 0, 0, 0};
  const auto refused = [&](auto change, const std::string& start) {
    tw_halo_options chosen{};
    change(chosen);
    expect_refused(exchange(chosen), "tw_halo_domain_exchange_init: options." + start);
  };
  for (const int wrong : {-1, 4}) {
    refused([&](tw_halo_options& chosen) { chosen.packing = wrong; }, "packing = " + std::to_string(wrong));
  }
  refused([](tw_halo_options& chosen) { chosen.messages = 3; }, "messages = 3");
  refused([](tw_halo_options& chosen) { chosen.diagonals = 2; }, "diagonals = 2");
  refused([](tw_halo_options& chosen) { chosen.buffers = 3; }, "buffers = 3");
  refused([](tw_halo_options& chosen) { chosen.buffers = -1; }, "buffers = -1");
  refused([](tw_halo_options& chosen) { chosen.side_count = -1; }, "side_count = -1");
  refused([](tw_halo_options& chosen) { chosen.side_count = 1; }, "sides = null");
  refused(
      [&](tw_halo_options& chosen) {
        chosen.side_count = 2;
        chosen.sides = sides.data();
      },
      "sides[1] = ");
}

TEST_F(ArgumentsInC, OfCallsOfAnExchangeAreNamed) {
  ASSERT_EQ(exchange(MPI_DOUBLE, 2), TW_SUCCESS);
  expect_refused(tw_halo_exchange_bind(exchange_, 2, nullptr), "tw_halo_exchange_bind: data = null");
  for (const int count : {-1, 1, 3}) {
    expect_refused(tw_halo_exchange_bind(exchange_, count, arrays_.data()),
                   "tw_halo_exchange_bind: count = " + std::to_string(count));
  }
  const std::array<void*, 2> one_only{memory_.data(), nullptr};
  expect_refused(tw_halo_exchange_bind(exchange_, 2, one_only.data()),
                 "tw_halo_exchange_bind: data[1] = null");
  expect_refused(tw_halo_exchange_set_width(exchange_, -1), "tw_halo_exchange_set_width: width = -1");
  expect_refused(tw_halo_exchange_overlap(exchange_, nullptr, nullptr, nullptr),
                 "tw_halo_exchange_overlap: work = null");
  expect_refused(tw_halo_exchange_ready(exchange_, nullptr), "tw_halo_exchange_ready: ready = null");
  for (const int operation : {-1, TW_MAXLOC + 1}) {
    expect_refused(tw_halo_exchange_accumulate(exchange_, operation, nullptr),
                   "tw_halo_exchange_accumulate: operation = " + std::to_string(operation));
  }

  EXPECT_EQ(tw_halo_exchange_wait(exchange_), TW_ERR_OTHER);
  ASSERT_EQ(tw_halo_exchange_pack(exchange_, nullptr), TW_SUCCESS);
  EXPECT_EQ(tw_halo_exchange_tune(exchange_, nullptr), TW_ERR_OTHER);
  tw_halo_exchange_free(std::exchange(exchange_, nullptr));
}

TEST_F(ArgumentsInC, OfElementsThatCannotBeCombinedAreNamed) {
  ASSERT_EQ(exchange(MPI_FLOAT_INT, 2), TW_SUCCESS);
  expect_refused(tw_halo_exchange_accumulate(exchange_, TW_SUM, nullptr),
                 "tw_halo_exchange_accumulate: element = ");
  tw_halo_exchange_free(std::exchange(exchange_, nullptr));
}

TEST_F(ArgumentsInC, AreNotNullWhereAnExchangeIsMeant) {
  int ready = -5;
  const auto work = [](void*) {};
  const auto refused = [](tw_result result, const std::string& call) {
    expect_refused(result, "tw_halo_exchange_" + call + ": exchange = null");
  };
  refused(tw_halo_exchange_bind(nullptr, 2, arrays_.data()), "bind");
  refused(tw_halo_exchange_set_width(nullptr, 1), "set_width");
  refused(tw_halo_exchange_tune(nullptr, nullptr), "tune");
  refused(tw_halo_exchange_run(nullptr, nullptr), "run");
  refused(tw_halo_exchange_overlap(nullptr, nullptr, work, nullptr), "overlap");
  refused(tw_halo_exchange_pack(nullptr, nullptr), "pack");
  refused(tw_halo_exchange_start(nullptr, nullptr), "start");
  refused(tw_halo_exchange_wait(nullptr), "wait");
  refused(tw_halo_exchange_unpack(nullptr, nullptr), "unpack");
  refused(tw_halo_exchange_ready(nullptr, &ready), "ready");
  refused(tw_halo_exchange_accumulate(nullptr, TW_SUM, nullptr), "accumulate");
  refused(tw_halo_exchange_get(nullptr, nullptr, nullptr, &ready, nullptr, nullptr), "get");
  EXPECT_EQ(ready, -5);
  tw_halo_exchange_free(nullptr);
  tw_halo_domain_free(nullptr);
  tw_halo_grid_free(nullptr);
}

// Nobody waits for a process that has given something wrong.
TEST_F(ArgumentsInC, ThatAreWrongInOneProcessFailInAll) {
  TYPEWARP_NEEDS_RANKS(2);
  const bool wrong = rank_ == 1;
  const std::array<tw_halo_descriptor, 2> cut{{{1, 1, 0, 4, 5}, {1, 1, 1, 4, 5}}};
  tw_halo_field second = field();
  if (wrong) second.descriptors = cut.data();
  expect_failure_of_rank_1(exchange(second), "tw_halo_exchange_create: fields[1].descriptors[0].begin = 0");

  expect_failure_of_rank_1(tw_halo_grid_of(twin_->grid().comm(), wrong ? nullptr : &grid_),
                           "tw_halo_grid_of: grid = null");
  expect_failure_of_rank_1(tw_halo_domain_create(comm_, wrong ? 0 : 2, cells.data(), nullptr, &made_),
                           "tw_halo_domain_create: dimensions = 0");
  expect_failure_of_rank_1(tw_halo_domain_create(comm_, 2, wrong ? nullptr : cells.data(), nullptr, &made_),
                           "tw_halo_domain_create: cells = null");
  const std::array processes{wrong ? 3 : 0, 0};
  expect_failure_of_rank_1(create({processes.data(), nullptr, 0}),
                           "tw_halo_domain_create: options.processes[0] = 3");
  tw_halo_options chosen{};
  if (wrong) chosen.diagonals = 2;
  expect_failure_of_rank_1(exchange(chosen), "tw_halo_domain_exchange_init: options.diagonals = 2");
  expect_failure_of_rank_1(exchange(wrong ? MPI_DATATYPE_NULL : MPI_DOUBLE, 2),
                           "tw_halo_domain_exchange_init: element = MPI_DATATYPE_NULL");
  expect_failure_of_rank_1(exchange(MPI_DOUBLE, wrong ? 0 : 2), "tw_halo_domain_exchange_init: count = 0");
}

}  // namespace
}  // namespace typewarp::test
