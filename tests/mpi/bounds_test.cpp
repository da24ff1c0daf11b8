// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Random types as the MPI sees what encode() builds, against Typewarp's algebra.

#include "mpi/large.hpp"
#include "mpi/mpi_type.hpp"
#include "mpi/rules.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"

#include <gtest/gtest.h>

#include <iostream>

namespace typewarp {
namespace {

using test::MpiType;

const std::uint64_t types = test::at_most_types(4000);

#ifdef MPICH_NUMVERSION
// Why this MPI may compute other bounds than the standard defines; null where it may not.
const char* excuse(const Datatype& type) {
  if (test::has_empty_part(type)) return "a part without data";
  if (test::has_struct_of_set_bounds(type)) return "a struct with a member of set bounds";
  if (test::has_data_off_alignment(type)) return "padding outside structs";
  return nullptr;
}

const char* excuse_of_true_bounds(const Datatype& type) {
  if (test::has_empty_part(type)) return "a part without data";
  if (test::has_darray(type)) return "a darray";
  return nullptr;
}
#else
const char* excuse(const Datatype& type) {
  if (test::has_empty_part(type)) return "a part without data";
  if (test::has_data_off_alignment(type)) return "padding block by block";
  return nullptr;
}

const char* excuse_of_true_bounds(const Datatype& type) {
  return test::has_empty_part(type) ? "a part without data" : nullptr;
}
#endif

// Against the decoded type: where the MPI has another extent inside the tree, the data lies elsewhere.
TEST(Bounds, TrueBoundsOfRandomTypesEqualTheMpis) {
  int excused = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = test::random_type(seed);
    if (test::defect_of_this_mpi(type) != nullptr) continue;
    const MpiType built(mpi::encode(type));
    const Datatype decoded = mpi::decode(built.get());
    const mpi::TypeBounds real = mpi::true_bounds(built.get());
    if (real.lb == decoded.true_lb() && real.extent == decoded.true_extent()) continue;
    ASSERT_NE(excuse_of_true_bounds(type), nullptr)
        << "seed " << seed << ": the MPI says true lb " << real.lb << ", true extent " << real.extent
        << "; Typewarp true lb " << decoded.true_lb() << ", true extent " << decoded.true_extent() << "\n"
        << decoded;
    ++excused;
  }
  std::cout << excused << " of " << types
            << " types have other true bounds in this MPI, all for a reason stated\n";
  EXPECT_LT(excused, static_cast<int>(types / 4));
}

TEST(Decode, OfEncodedRandomTypesIsTheSameTypeWithTheBoundsOfTheMpi) {
  int equal = 0;
  for (std::uint64_t seed = 1; seed <= types; ++seed) {
    const Datatype type = test::random_type(seed);
    if (test::defect_of_this_mpi(type) != nullptr) continue;
    const MpiType built(mpi::encode(type), MpiType::Commit::no);
    const Datatype decoded = mpi::decode(built.get());
    ASSERT_EQ(decoded.lb(), mpi::bounds(built.get()).lb) << "seed " << seed << "\n" << type;
    ASSERT_EQ(decoded.extent(), mpi::bounds(built.get()).extent) << "seed " << seed << "\n" << type;
    ASSERT_EQ(decoded.size(), type.size()) << "seed " << seed << "\n" << type;
    ASSERT_EQ(decoded.signature(), type.signature()) << "seed " << seed << "\n" << type;
    if (decoded.to_string() == type.to_string()) {
      ++equal;
    } else {
      ASSERT_NE(excuse(type), nullptr) << "seed " << seed << "\n" << type << "became\n" << decoded;
    }
  }
  std::cout << equal << " of " << types << " types come back exactly as they were encoded\n";
  EXPECT_GT(equal, static_cast<int>(types / 2));
}

}  // namespace
}  // namespace typewarp
