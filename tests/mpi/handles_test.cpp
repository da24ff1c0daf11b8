// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// decode() and encode() give back every handle that they were given, and no other.

#include "datatype/node.hpp"
#include "mpi/handle_ledger.hpp"
#include "mpi/mpi_type.hpp"
#include "mpi/rules.hpp"
#include "support/random_type.hpp"

#include <typewarp/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace typewarp {
namespace {

using test::HandleLedger;

// The ledger of what happens in a scope.
class Handles : public testing::Test {
 protected:
  void SetUp() override { test::ledger() = {}; }
};

TEST_F(Handles, DecodeFreesWhatItObtained) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Datatype type = test::random_type(seed);
    if (test::defect_of_this_mpi(type) != nullptr) continue;
    MPI_Datatype handle = mpi::encode(type);
    const HandleLedger before = test::ledger();
    mpi::decode(handle);
    const HandleLedger after = test::ledger();
    ASSERT_EQ(after.outstanding(), before.outstanding()) << "seed " << seed;
    ASSERT_EQ(after.made, before.made) << "seed " << seed;
    if (!mpi::is_named(handle)) MPI_Type_free(&handle);
  }
#ifdef OMPI_MAJOR_VERSION
  EXPECT_EQ(test::ledger().handed_out, 0);  // read in place
#else
  EXPECT_GT(test::ledger().handed_out, 500);
#endif
  EXPECT_EQ(test::ledger().freed_named, 0);
}

TEST_F(Handles, EncodeFreesEverythingButItsResult) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Datatype type = test::random_type(seed);
    if (test::defect_of_this_mpi(type) != nullptr) continue;
    const HandleLedger before = test::ledger();
    MPI_Datatype handle = mpi::encode(type);
    const std::int64_t expected = mpi::is_named(handle) ? 0 : 1;
    ASSERT_EQ(test::ledger().outstanding() - before.outstanding(), expected) << "seed " << seed;
    if (expected == 1) MPI_Type_free(&handle);
  }
  EXPECT_GT(test::ledger().made, 500);
  EXPECT_EQ(test::ledger().freed_named, 0);
}

TEST_F(Handles, AFailingEncodeFreesWhatItBuilt) {
  const Datatype row = vector(2, 1, 2, Named::int_);
  const Datatype whole =
      contiguous(2, structure({1, 1, 1}, {0, 64, 128}, {row, dup(row), indexed({1}, {3}, row)}));
  MPI_Datatype handle = mpi::encode(whole);
  const std::int64_t constructors = test::ledger().made;
  MPI_Type_free(&handle);
  ASSERT_EQ(constructors, 5);  // `row` once
  for (std::int64_t n = 0; n < constructors; ++n) {
    test::ledger() = {.constructors_left = n};
    try {
      mpi::encode(whole);
      ADD_FAILURE() << "did not throw when constructor " << n << " failed";
    } catch (const MpiError& error) {
      EXPECT_EQ(error.error_class(), MPI_ERR_NO_MEM);
      EXPECT_NE(std::string(error.what()).find("MPI_Type_"), std::string::npos) << error.what();
    }
    EXPECT_EQ(test::ledger().made, n);
    EXPECT_EQ(test::ledger().outstanding(), 0);
  }
}

TEST_F(Handles, AFailingDecodeFreesWhatItObtained) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_vector(2, 1, 2, MPI_INT, &type), "MPI_Type_vector");
  for (int i = 0; i < datatype::max_depth; ++i) {
    MPI_Datatype inner = std::exchange(type, MPI_DATATYPE_NULL);
    mpi::check(MPI_Type_contiguous(1, inner, &type), "MPI_Type_contiguous");
    MPI_Type_free(&inner);
  }
  const std::int64_t before = test::ledger().outstanding();
  EXPECT_THROW(mpi::decode(type), InvalidArgument);
  EXPECT_EQ(test::ledger().outstanding(), before);
  MPI_Type_free(&type);
}

}  // namespace
}  // namespace typewarp
