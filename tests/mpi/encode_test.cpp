// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/expect_invalid.hpp"
#include "mpi/large.hpp"
#include "mpi/mpi_type.hpp"

#include <gtest/gtest.h>

namespace typewarp {
namespace {

using test::MpiType;

constexpr std::int64_t beyond_int = (std::int64_t{1} << 31) + 5;

TEST(Encode, NamedTypesAreTheHandlesOfTheMpi) {
  EXPECT_EQ(mpi::encode(Named::double_), MPI_DOUBLE);
  EXPECT_TRUE(mpi::is_named(MPI_DOUBLE));
  EXPECT_THROW(mpi::is_named(MPI_DATATYPE_NULL), InvalidArgument);
}

TEST(Encode, DerivedTypesAreUncommittedAndTheCallers) {
  MPI_Datatype handle = mpi::encode(vector(3, 1, 2, Named::double_));
  EXPECT_FALSE(mpi::is_named(handle));
  EXPECT_EQ(mpi::size(handle), 24);
  EXPECT_EQ(MPI_Type_commit(&handle), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free(&handle), MPI_SUCCESS);
  EXPECT_EQ(handle, MPI_DATATYPE_NULL);
}

TEST(Encode, NullDatatype) { EXPECT_THROW(mpi::encode(Datatype{}), InvalidArgument); }

TEST(Encode, CountsBeyondInt) {
  const Datatype large = vector(2, 3, beyond_int, Named::int_);
  if constexpr (mpi::has_large_counts) {
    const MpiType type(mpi::encode(large));
    EXPECT_EQ(mpi::bounds(type.get()).extent, large.extent());
    EXPECT_EQ(mpi::decode(type.get()).to_string(), large.to_string());
  } else {
    test::expect_invalid(
        [&] { mpi::encode(large); },
        "mpi::encode: stride = 2147483653: must fit this MPI's interface, which counts in int");
    test::expect_invalid(
        [] { mpi::encode(indexed({1, 1}, {0, beyond_int}, Named::int_)); },
        "mpi::encode: displacements[1] = 2147483653: must fit this MPI's interface, which counts in int");
  }
}

TEST(Encode, ByteDisplacementsBeyondInt) {
  const Datatype far = hindexed({1, 2}, {-8 * beyond_int, 8 * beyond_int}, Named::double_);
  const MpiType type(mpi::encode(far));
  EXPECT_EQ(mpi::bounds(type.get()).lb, far.lb());
  EXPECT_EQ(mpi::bounds(type.get()).extent, far.extent());
  EXPECT_EQ(mpi::decode(type.get()).to_string(), far.to_string());
}

}  // namespace
}  // namespace typewarp
