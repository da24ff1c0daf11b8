// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of docs/guide/halo.md, between the markers, and tests that they do what it says.
// [domain]
#include <typewarp/halo_domain.hpp>

#include <array>
#include <utility>

// `steps` steps of a stencil from `now` to `next`, arrays of domain.elements() numbers in memory of any kind.
template <typename Compute>
void simulate(const typewarp::halo::Domain& domain, double* now, double* next, int steps,
              typewarp::Stream stream, Compute compute) {
  typewarp::halo::Exchange halos = domain.exchange_init(now);
  for (int step = 0; step < steps; ++step) {
    halos.overlap([&] { compute(domain.interior(), now, next, stream); }, stream);
    for (const typewarp::halo::Box& box : domain.boundary()) compute(box, now, next, stream);
    std::swap(now, next);
    halos.bind(std::array<void*, 1>{now});
  }
}
// [/domain]

// [general]
#include <typewarp/halo.hpp>

namespace halo = typewarp::halo;

// A temperature in C order and a velocity in Fortran order, 36 x 18 x 10 points of each process.
halo::Exchange weather(MPI_Comm comm, double* temperature, float* velocity) {
  const halo::ProcessGrid grid(comm, {0, 0, 1}, {true, true, false});  // 0: the MPI chooses
  const std::vector<halo::Descriptor> points{{2, 3, 2, 38, 41}, {1, 2, 1, 19, 21}, {0, 0, 0, 10, 10}};
  const typewarp::Datatype vector3 = typewarp::contiguous(3, typewarp::Named::float_);
  return {
      grid,
      {halo::Field(temperature, points), halo::Field(velocity, vector3, points, halo::Storage::fortran())},
      {.packing = halo::Packing::manual}};
}
// [/general]

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

std::size_t at(const std::vector<std::int64_t>& shape, std::int64_t i, std::int64_t j) {
  return static_cast<std::size_t>(i * shape[1] + j);
}

/// One step: each number becomes the sum of the four around it.
void add_around(const halo::Box& box, const std::vector<std::int64_t>& shape, const double* now,
                double* next) {
  for (std::int64_t i = box[0].begin; i < box[0].end; ++i) {
    for (std::int64_t j = box[1].begin; j < box[1].end; ++j) {
      next[at(shape, i, j)] = now[at(shape, i - 1, j)] + now[at(shape, i + 1, j)] + now[at(shape, i, j - 1)] +
                              now[at(shape, i, j + 1)];
    }
  }
}

/// On a torus, by one process: the same numbers within a halo of their own.
std::vector<double> serial(std::int64_t rows, std::int64_t columns, int steps) {
  const std::vector<std::int64_t> shape{rows + 2, columns + 2};
  std::vector<double> now(static_cast<std::size_t>(shape[0] * shape[1]));
  std::iota(now.begin(), now.end(), 0.0);
  std::vector<double> next(now);
  for (int step = 0; step < steps; ++step) {
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        const std::int64_t from_row = (i - 1 + rows) % rows + 1;
        const std::int64_t from_column = (j - 1 + columns) % columns + 1;
        now[at(shape, i, j)] = now[at(shape, from_row, from_column)];
      }
    }
    add_around({{1, rows + 1}, {1, columns + 1}}, shape, now.data(), next.data());
    now = next;
  }
  return now;
}

TEST(HaloExample, SimulatesAsOneProcessWould) {
  constexpr int steps = 3;
  const halo::Domain domain(MPI_COMM_WORLD, {5, 6}, {.periodic = {true, true}});
  const std::vector<std::int64_t> whole = domain.global_cells();
  const std::vector<std::int64_t> whole_shape{whole[0] + 2, whole[1] + 2};
  const std::vector<double> first = serial(whole[0], whole[1], 0);
  const std::vector<double> last = serial(whole[0], whole[1], steps);
  std::vector<double> now(static_cast<std::size_t>(domain.elements())), next(now);
  const auto for_each_cell = [&](auto visit) {
    for (std::int64_t i = 1; i <= 5; ++i) {
      for (std::int64_t j = 1; j <= 6; ++j) {
        visit(at(domain.shape(), i, j), at(whole_shape, domain.origin()[0] + i, domain.origin()[1] + j));
      }
    }
  };
  for_each_cell([&](std::size_t here, std::size_t there) { now[here] = first[there]; });
  simulate(domain, now.data(), next.data(), steps, nullptr,
           [&](const halo::Box& box, const double* from, double* to, typewarp::Stream) {
             add_around(box, domain.shape(), from, to);
           });
  for_each_cell([&](std::size_t here, std::size_t there) { EXPECT_EQ(next[here], last[there]); });
}

// Of two fields in different orders, the same points.
TEST(HaloExample, ExchangesFieldsOfDifferentOrders) {
  constexpr std::int64_t rows = 41, columns = 21, levels = 10;
  std::vector<double> temperature(rows * columns * levels, -1);
  std::vector<float> velocity(3 * rows * columns * levels, -1);
  const auto places = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    return std::pair(static_cast<std::size_t>((i * columns + j) * levels + k),
                     static_cast<std::size_t>(3 * ((k * columns + j) * rows + i)));
  };
  const auto for_all = [&](auto visit) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        for (std::int64_t k = 0; k < levels; ++k) visit(i, j, k);
      }
    }
  };
  for_all([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    if (i < 2 || i > 37 || j < 1 || j > 18) return;
    const auto [scalar, vector] = places(i, j, k);
    temperature[scalar] = static_cast<double>(10000 * i + 100 * j + k);
    for (std::size_t c = 0; c < 3; ++c) velocity[vector + c] = static_cast<float>(temperature[scalar]);
  });
  weather(MPI_COMM_WORLD, temperature.data(), velocity.data()).exchange(nullptr);
  for_all([&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const auto [scalar, vector] = places(i, j, k);
    const std::int64_t from_row = (i - 2 + 36) % 36 + 2;
    const std::int64_t from_column = (j - 1 + 18) % 18 + 1;
    EXPECT_EQ(temperature[scalar], static_cast<double>(10000 * from_row + 100 * from_column + k));
    EXPECT_EQ(velocity[vector + 2], static_cast<float>(temperature[scalar]));
  });
}

}  // namespace
