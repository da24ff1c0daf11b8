// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/gas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace hydro {
namespace {

const Cell left{{1.3, 0.4, -0.2, 2.1, 0.1, 0.2, 0.3, 0.4}};
const Cell right{{0.6, -0.5, 0.7, 0.9, 0.4, 0.3, 0.2, 0.1}};

Cell mirrored(Cell q) {
  q.of[velocity] = -q.of[velocity];
  return q;
}

Cell transposed(Cell q) {
  std::swap(q.of[velocity], q.of[velocity + 1]);
  return q;
}

/// What flows where nothing changes.
Cell flow(const Cell& q) {
  Cell flux = to_conserved(q);
  for (double& number : flux.of) number *= q.of[velocity];
  flux.of[momentum] += q.of[pressure];
  flux.of[energy] += q.of[pressure] * q.of[velocity];
  return flux;
}

void expect_near(const Cell& a, const Cell& b) {
  for (int k = 0; k < variables; ++k) EXPECT_NEAR(a.of[k], b.of[k], 1e-14 * (1 + std::abs(b.of[k]))) << k;
}

TEST(Gas, IsTheSameInConservedVariables) { expect_near(to_primitive(to_conserved(left)), left); }

TEST(Gas, HasTheEnergyOfItsPressureAndMotion) {
  const Cell q{{2, 3, 4, 0.8, 0, 0, 0, 0}};
  EXPECT_DOUBLE_EQ(to_conserved(q).of[energy], 0.8 / 0.4 + 0.5 * 2 * 25);
}

TEST(Gas, FlowsAsItIsWhereNothingChanges) { expect_near(flux_along(0, left, left), flow(left)); }

TEST(Gas, FlowsAsItCameIfItIsFasterThanAllWaves) {
  Cell fast = left, slower = right;
  fast.of[velocity] = slower.of[velocity] = 9;
  expect_near(flux_along(0, fast, slower), flow(fast));
  expect_near(flux_along(0, mirrored(slower), mirrored(fast)), flow(mirrored(fast)));
}

TEST(Gas, CarriesTracersFromWhereItComes) {
  const Cell flux = flux_along(0, left, right);
  const Cell& from = flux.of[density] > 0 ? left : right;
  for (int k = tracers; k < variables; ++k) EXPECT_EQ(flux.of[k], flux.of[density] * from.of[k]);
}

/// Where only densities differ, the solver is exact, however slow the gas is.
TEST(Gas, CarriesAContactAlong) {
  Cell thin = left;
  thin.of[density] = 0.1;
  for (const double speed : {0.4, 1e-9}) {
    Cell dense = left;
    dense.of[velocity] = thin.of[velocity] = speed;
    expect_near(flux_along(0, dense, thin), flow(dense));
    expect_near(flux_along(0, thin, dense), flow(thin));
  }
}

TEST(Gas, FlowsAlikeInAMirrorToTheLastBit) {
  const Cell flux = flux_along(0, left, right);
  const Cell other = flux_along(0, mirrored(right), mirrored(left));
  for (int k = 0; k < variables; ++k) EXPECT_EQ(other.of[k], k == momentum ? flux.of[k] : -flux.of[k]) << k;
}

TEST(Gas, FlowsAlikeAlongBothAxesToTheLastBit) {
  const Cell flux = transposed(flux_along(0, left, right));
  const Cell other = flux_along(1, transposed(left), transposed(right));
  for (int k = 0; k < variables; ++k) EXPECT_EQ(other.of[k], flux.of[k]) << k;
}

TEST(Gas, HasNoSlopeWhereItTurns) {
  EXPECT_EQ(limited(1, -2), 0);
  EXPECT_EQ(limited(0, 3), 0);
  EXPECT_EQ(limited(1, 2), 1);
  EXPECT_EQ(limited(-3, -2), -2);
}

}  // namespace
}  // namespace hydro
