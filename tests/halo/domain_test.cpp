// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo_domain.hpp>

#include <algorithm>
#include <numeric>

namespace typewarp::halo {
namespace {

using test::invalid_argument;

class HaloDomain : public test::Session {};

std::int64_t index(const std::vector<std::int64_t>& shape, std::int64_t i, std::int64_t j) {
  return i * shape[1] + j;
}

TEST_F(HaloDomain, KnowsItsPartOfTheWhole) {
  const Domain domain(comm_, {4, 6}, {.processes = {ranks_, 1}, .periodic = {true, false}, .width = 2});
  EXPECT_EQ(domain.global_cells(), (std::vector<std::int64_t>{4 * ranks_, 6}));
  EXPECT_EQ(domain.origin(), (std::vector<std::int64_t>{4 * rank_, 0}));
  EXPECT_EQ(domain.shape(), (std::vector<std::int64_t>{8, 10}));
  EXPECT_EQ(domain.elements(), 80);
  EXPECT_EQ(domain.shape({1}), (std::vector<std::int64_t>{8, 11}));
  EXPECT_EQ(domain.elements({0, 1}), 99);
  EXPECT_EQ(domain.descriptors({1})[1], (Descriptor{2, 3, 2, 8, 11}));
}

// Cells, and what is at the faces between them: the last face of a process is the first of the next.
TEST_F(HaloDomain, ExchangesCellsAndFacesAtOnce) {
  const Domain domain(comm_, {4, 6}, {.periodic = {true, false}});
  const auto value = [&](const std::vector<std::int64_t>& at, int of) {
    const std::int64_t rows = domain.global_cells()[0];
    return static_cast<double>(((at[0] + rows) % rows) * 1000 + at[1] * 10 + of);
  };
  const std::vector<std::int64_t> shape = domain.shape();
  const std::vector<std::int64_t> faces_shape = domain.shape({1});
  const std::vector<std::int64_t> origin = domain.origin();
  std::vector<double> cells(static_cast<std::size_t>(domain.elements()), -1);
  std::vector<double> at_faces(static_cast<std::size_t>(domain.elements({1})), -1);
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 6; ++j) {
      const std::vector<std::int64_t> at{origin[0] + i, origin[1] + j};
      cells[static_cast<std::size_t>(index(shape, i + 1, j + 1))] = value(at, 1);
      at_faces[static_cast<std::size_t>(index(faces_shape, i + 1, j + 1))] = value(at, 2);
    }
  }
  domain.exchange_init(cells.data(), Field(at_faces.data(), domain.descriptors({1}))).exchange(nullptr);

  const auto expect = [&](const std::vector<double>& array, const std::vector<std::int64_t>& lengths,
                          int of) {
    for (std::int64_t i = 0; i < lengths[0]; ++i) {
      for (std::int64_t j = 0; j < lengths[1]; ++j) {
        const std::vector<std::int64_t> at{origin[0] + i - 1, origin[1] + j - 1};
        const bool outside = at[1] < 0 || at[1] >= domain.global_cells()[1];
        EXPECT_EQ(array[static_cast<std::size_t>(index(lengths, i, j))], outside ? -1 : value(at, of))
            << "field " << of << " at " << i << " " << j;
      }
    }
  };
  expect(cells, shape, 1);
  expect(at_faces, faces_shape, 2);
}

TEST_F(HaloDomain, DividesItsCellsIntoInteriorAndBoundary) {
  for (const std::vector<std::int64_t>& cells :
       std::vector<std::vector<std::int64_t>>{{6, 7}, {2, 9}, {3, 3}}) {
    for (const bool periodic : {false, true}) {
      const Domain domain(comm_, cells, {.periodic = {periodic, false}, .width = 2});
      std::vector<int> times(static_cast<std::size_t>(domain.elements()), 0);
      std::vector<Box> boxes = domain.boundary();
      EXPECT_LE(boxes.size(), 4U);
      const Box interior = domain.interior();
      boxes.push_back(interior);
      for (const Box& box : boxes) {
        for (std::int64_t i = 0; i < box[0].length(); ++i) {
          for (std::int64_t j = 0; j < box[1].length(); ++j) {
            ++times[static_cast<std::size_t>(index(domain.shape(), box[0].begin + i, box[1].begin + j))];
          }
        }
      }
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), cells[0] * cells[1]);
      EXPECT_EQ(std::ranges::count(times, 1), cells[0] * cells[1]);
      EXPECT_EQ(std::ranges::max(times), 1);
      const bool alone = domain.grid().neighbour({-1, 0}) == MPI_PROC_NULL &&
                         domain.grid().neighbour({1, 0}) == MPI_PROC_NULL;
      EXPECT_EQ(interior[0].length() == cells[0], alone);
    }
  }
}

TEST_F(HaloDomain, NamesWhatIsWrong) {
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 0}); }), "cells[1]");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 2}, {.width = 3}); }), "cells[1]");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 4}, {.width = -1}); }), "options.width");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 4}, {.processes = {1}}); }), "options.processes.size()");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 4}, {.processes = {ranks_ + 1, 1}}); }),
            "options.processes[0]");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {4, 4}, {.periodic = {true}}); }),
            "options.periodic.size()");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, {}); }), "cells.size()");
  EXPECT_EQ(invalid_argument([&] { Domain(comm_, std::vector<std::int64_t>(9, 4)); }), "cells.size()");
  EXPECT_EQ(invalid_argument([&] { Domain(MPI_COMM_NULL, {4, 4}); }), "comm");
  const Domain domain(comm_, {4, 4});
  EXPECT_EQ(invalid_argument([&] { static_cast<void>(domain.shape({2})); }), "staggered[0]");
}

}  // namespace
}  // namespace typewarp::halo
