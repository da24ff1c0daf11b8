// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/named.hpp"
#include "mpi/large.hpp"

#include <typewarp/mpi.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace typewarp {
namespace {

std::vector<Named> all_named() {
  std::vector<Named> all;
  for (int i = 0; i <= static_cast<int>(Named::two_integer); ++i) all.push_back(static_cast<Named>(i));
  return all;
}

// Optional types that a build of an MPI may lack; every other name exists in every MPI.
bool optional(Named named) {
  const std::string_view text = name(named);
  return text.find_first_of("1248") != std::string_view::npos || text.starts_with("MPI_CXX");
}

TEST(NamedTypes, HaveTheSizeAndTheBoundsOfTheMpi) {
  int present = 0;
  for (const Named named : all_named()) {
    SCOPED_TRACE(std::string(name(named)));
    const MPI_Datatype handle = mpi::handle(named);
    if (handle == MPI_DATATYPE_NULL) {
      EXPECT_TRUE(optional(named));
      continue;
    }
    const Datatype type = named;
    EXPECT_EQ(mpi::size(handle), type.size());
    EXPECT_EQ(mpi::bounds(handle).lb, type.lb());
    EXPECT_EQ(mpi::bounds(handle).extent, type.extent());
    EXPECT_EQ(mpi::true_bounds(handle).lb, type.true_lb());
    EXPECT_EQ(mpi::true_bounds(handle).extent, type.true_extent());
    ++present;
  }
  EXPECT_GE(present, 60);
}

TEST(NamedTypes, AreTheirOwnHandles) {
  for (const Named named : all_named()) {
    SCOPED_TRACE(std::string(name(named)));
    const MPI_Datatype handle = mpi::handle(named);
    if (handle == MPI_DATATYPE_NULL) continue;
    EXPECT_TRUE(mpi::is_named(handle));
    EXPECT_EQ(mpi::encode(named), handle);
    const Datatype decoded = mpi::decode(handle);
    // Two names of one handle stand for one type: the first is found.
    EXPECT_EQ(mpi::encode(decoded), handle);
    EXPECT_EQ(decoded.size(), Datatype(named).size());
  }
}

TEST(NamedTypes, AreDistinguishedWhereTheMpiDoes) {
  EXPECT_EQ(mpi::named(MPI_INT), Named::int_);
  EXPECT_EQ(mpi::named(MPI_INTEGER), Named::integer);
  EXPECT_EQ(mpi::named(MPI_LONG), Named::long_);
  EXPECT_EQ(mpi::named(MPI_INT64_T), Named::int64);
  EXPECT_EQ(mpi::named(MPI_BYTE), Named::byte);
  EXPECT_EQ(mpi::named(MPI_DOUBLE_INT), Named::double_int);
  EXPECT_EQ(mpi::named(MPI_DATATYPE_NULL), std::nullopt);
}

}  // namespace
}  // namespace typewarp
