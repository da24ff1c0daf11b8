// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Types made by hand with the MPI's int constructors: encode() uses the large ones where there are any.

#include "support/expect_invalid.hpp"
#include "datatype/node.hpp"
#include "mpi/large.hpp"
#include "mpi/mpi_type.hpp"
#include "mpi/named.hpp"
#include "support/small_stack.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <set>
#include <sstream>
#include <string>

namespace typewarp {
namespace {

using test::MpiType;

/// What `make(&handle)` makes, decoded.
template <typename Make>
Datatype decoded(Make make) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  mpi::check(make(&handle), "the constructor under test");
  const MpiType type(handle, MpiType::Commit::no);
  return mpi::decode(type.get());
}

void expect_same(const Datatype& actual, const Datatype& expected) {
  EXPECT_EQ(actual.to_string(), expected.to_string());
}

TEST(Decode, EveryConstructorOfBlocks) {
  constexpr std::array lengths{2, 0, 3};
  constexpr std::array places{4, 1, -7};
  constexpr std::array<MPI_Aint, 3> bytes{16, 0, -48};
  const std::array<MPI_Datatype, 3> types{MPI_INT, MPI_CHAR, MPI_DOUBLE_INT};
  const int* l = lengths.data();
  const int* p = places.data();
  const MPI_Aint* b = bytes.data();
  const std::vector<std::int64_t> l64{2, 0, 3}, p64{4, 1, -7}, b64{16, 0, -48};
  expect_same(decoded([](auto* t) { return MPI_Type_contiguous(7, MPI_INT, t); }),
              contiguous(7, Named::int_));
  expect_same(decoded([](auto* t) { return MPI_Type_vector(3, 2, -5, MPI_DOUBLE, t); }),
              vector(3, 2, -5, Named::double_));
  expect_same(decoded([](auto* t) { return MPI_Type_create_hvector(3, 2, 40, MPI_INT, t); }),
              hvector(3, 2, 40, Named::int_));
  expect_same(decoded([&](auto* t) { return MPI_Type_indexed(3, l, p, MPI_INT, t); }),
              indexed(l64, p64, Named::int_));
  expect_same(decoded([&](auto* t) { return MPI_Type_create_hindexed(3, l, b, MPI_INT, t); }),
              hindexed(l64, b64, Named::int_));
  expect_same(decoded([&](auto* t) { return MPI_Type_create_indexed_block(3, 2, p, MPI_INT, t); }),
              indexed_block(2, p64, Named::int_));
  expect_same(decoded([&](auto* t) { return MPI_Type_create_hindexed_block(3, 2, b, MPI_INT, t); }),
              hindexed_block(2, b64, Named::int_));
  expect_same(decoded([&](auto* t) { return MPI_Type_create_struct(3, l, b, types.data(), t); }),
              structure(l64, b64, {Named::int_, Named::char_, Named::double_int}));
}

TEST(Decode, SubarrayInBothOrders) {
  constexpr std::array sizes{5, 6, 7};
  constexpr std::array subsizes{1, 2, 3};
  constexpr std::array starts{4, 0, 2};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    expect_same(decoded([&](auto* t) {
                  return MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), order,
                                                  MPI_FLOAT, t);
                }),
                subarray({5, 6, 7}, {1, 2, 3}, {4, 0, 2}, order == MPI_ORDER_C ? Order::c : Order::fortran,
                         Named::float_));
  }
}

TEST(Decode, DarrayOfEveryDistribution) {
  constexpr std::array global_sizes{8, 9, 4};
  constexpr std::array distributions{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  constexpr std::array arguments{MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
  constexpr std::array process_sizes{2, 3, 1};
  expect_same(decoded([&](auto* t) {
                return MPI_Type_create_darray(6, 4, 3, global_sizes.data(), distributions.data(),
                                              arguments.data(), process_sizes.data(), MPI_ORDER_FORTRAN,
                                              MPI_INT, t);
              }),
              darray(6, 4, {8, 9, 4}, {Distribution::block, Distribution::cyclic, Distribution::none},
                     {default_distribution_argument, 2, default_distribution_argument}, {2, 3, 1},
                     Order::fortran, Named::int_));
}

TEST(Decode, ResizedAndDup) {
  expect_same(decoded([](auto* t) { return MPI_Type_create_resized(MPI_INT, -8, 40, t); }),
              resized(Named::int_, -8, 40));
  expect_same(decoded([](auto* t) { return MPI_Type_dup(MPI_INT, t); }), dup(Named::int_));
}

TEST(Decode, NestedTypes) {
  // Bounds are set at the top of the struct, so that every MPI computes the same.
  const Datatype expected = vector(
      3, 1, 2, resized(structure({1, 2}, {0, 8}, {Named::double_, vector(2, 1, 2, Named::int_)}), -8, 64));
  const MpiType pair([] {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_vector(2, 1, 2, MPI_INT, &made), "MPI_Type_vector");
    return made;
  }());
  constexpr std::array lengths{1, 2};
  constexpr std::array<MPI_Aint, 2> offsets{0, 8};
  const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, pair.get()};
  MPI_Datatype members = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), &members),
             "MPI_Type_create_struct");
  const MpiType inner(members);
  MPI_Datatype spaced = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_resized(inner.get(), -8, 64, &spaced), "MPI_Type_create_resized");
  const MpiType record(spaced);
  expect_same(decoded([&](auto* t) { return MPI_Type_vector(3, 1, 2, record.get(), t); }), expected);
}

TEST(Decode, ParametrisedFortranKinds) {
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  const auto size_of_decoded = [&] { return mpi::decode(handle).size(); };
  if (MPI_Type_create_f90_real(6, 30, &handle) != MPI_SUCCESS || handle == MPI_DATATYPE_NULL) {
    GTEST_SKIP() << "needs an MPI with Fortran's parametrised kinds";
  }
  EXPECT_TRUE(mpi::is_named(handle));
  expect_same(mpi::decode(handle), Named::real4);
  mpi::check(MPI_Type_create_f90_real(12, 200, &handle), "MPI_Type_create_f90_real");
  expect_same(mpi::decode(handle), Named::real8);
  mpi::check(MPI_Type_create_f90_complex(12, 200, &handle), "MPI_Type_create_f90_complex");
  expect_same(mpi::decode(handle), Named::complex16);
  mpi::check(MPI_Type_create_f90_integer(9, &handle), "MPI_Type_create_f90_integer");
  EXPECT_EQ(size_of_decoded(), 4);
  // As a member of a derived type, the handle that the MPI gives must not be freed: it is predefined.
  mpi::check(MPI_Type_create_f90_real(12, 200, &handle), "MPI_Type_create_f90_real");
  for (int i = 0; i < 3; ++i) {
    expect_same(decoded([&](auto* t) { return MPI_Type_contiguous(3, handle, t); }),
                contiguous(3, Named::real8));
  }
}

TEST(Decode, KeepsTheBoundsOfTheMpi) {
  // Not a multiple of the alignment of double: MPIs differ in whether they pad this.
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  mpi::check(MPI_Type_create_hvector(2, 1, 9, MPI_DOUBLE, &handle), "MPI_Type_create_hvector");
  const MpiType type(handle, MpiType::Commit::no);
  const Datatype actual = mpi::decode(type.get());
  EXPECT_EQ(actual.lb(), mpi::bounds(handle).lb);
  EXPECT_EQ(actual.extent(), mpi::bounds(handle).extent);
  EXPECT_EQ(actual.true_extent(), 17);
}

/// `levels` constructors around a predefined datatype, each made by make(below, &above).
template <typename Make>
MpiType nested(int levels, MPI_Datatype innermost, Make make) {
  MPI_Datatype top = innermost;
  for (int i = 0; i < levels; ++i) {
    MPI_Datatype above = MPI_DATATYPE_NULL;
    mpi::check(make(top, &above), "the constructor under test");
    if (i > 0) MPI_Type_free(&top);
    top = above;
  }
  return MpiType(top, MpiType::Commit::no);
}

TEST(Decode, ReadsWhatIsUsedTwiceOnce) {
  const auto twice = [](MPI_Datatype below, MPI_Datatype* above) {
    constexpr std::array lengths{1, 1};
    const std::array<MPI_Aint, 2> offsets{0, mpi::bounds(below).extent + 1};
    MPI_Datatype copy = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_dup(below, &copy), "MPI_Type_dup");
    const MpiType duplicate(copy, MpiType::Commit::no);
    const std::array<MPI_Datatype, 2> types{below, duplicate.get()};
    return MPI_Type_create_struct(2, lengths.data(), offsets.data(), types.data(), above);
  };
#ifdef OMPI_MAJOR_VERSION
  constexpr int levels = 17;  // Open MPI itself takes 2^levels steps for each
#else
  constexpr int levels = 58;
#endif
  const MpiType type = nested(levels, MPI_CHAR, twice);
  const Datatype decoded = mpi::decode(type.get());
  EXPECT_EQ(decoded.elements(), std::int64_t{1} << levels);
  EXPECT_EQ(decoded.extent(), mpi::bounds(type.get()).extent);
  std::set<const datatype::Node*> distinct;
  const std::function<void(const Datatype&)> visit = [&](const Datatype& part) {
    if (!distinct.insert(&datatype::node_of(part)).second) return;
    if (const auto* members = std::get_if<datatype::Struct>(&datatype::node_of(part).constructor)) {
      for (const Datatype& member : members->children) visit(member);
    } else if (const auto* copy = std::get_if<datatype::Dup>(&datatype::node_of(part).constructor)) {
      visit(copy->child);
    }
  };
  visit(decoded);
  EXPECT_LE(distinct.size(), 2U * levels + 1);
}

TEST(Decode, TakesTheDeepestTypeAndRefusesDeeperOnesOnLittleStack) {
  const auto wrap = [](MPI_Datatype below, MPI_Datatype* above) {
    return MPI_Type_create_hvector(1, 1, 8, below, above);
  };
  const MpiType deepest = nested(datatype::max_depth, MPI_INT, wrap);
  const MpiType deeper = nested(5 * datatype::max_depth, MPI_INT, wrap);
  test::on_small_stack([&] {
    const Datatype decoded = mpi::decode(deepest.get());
    EXPECT_EQ(datatype::node_of(decoded).depth, datatype::max_depth);
    MPI_Datatype encoded = mpi::encode(decoded);
    EXPECT_EQ(mpi::size(encoded), 4);
    EXPECT_EQ(mpi::decode(encoded).to_string(), decoded.to_string());
    MPI_Type_free(&encoded);
    try {
      mpi::decode(deeper.get());
      ADD_FAILURE() << "did not throw";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), "datatype");
      EXPECT_NE(std::string(error.what()).find("1000 constructors"), std::string::npos) << error.what();
    }
  });
}

TEST(Decode, RefusesTheNullHandle) {
  test::expect_invalid([] { mpi::decode(MPI_DATATYPE_NULL); },
                       "mpi::decode: datatype = MPI_DATATYPE_NULL: must not be null");
}

TEST(Decode, ReadsNamedTypesWithoutCounterpartAsBytes) {
  const std::vector<MPI_Datatype> others{
#ifdef MPI_INTEGER16
      MPI_INTEGER16,
#endif
#ifdef MPI_REAL2
      MPI_REAL2,
#endif
#ifdef MPI_COMPLEX4
      MPI_COMPLEX4,
#endif
#ifdef MPI_2COMPLEX
      MPI_2COMPLEX,   MPI_2DOUBLE_COMPLEX,
#endif
#ifdef MPIX_C_FLOAT16
      MPIX_C_FLOAT16, MPIX_BFLOAT16,
#endif
  };
  ASSERT_FALSE(others.empty());
  for (const MPI_Datatype other : others) {
    if (other == MPI_DATATYPE_NULL) continue;
    SCOPED_TRACE(mpi::name_of(other));
    expect_same(mpi::decode(other), contiguous(mpi::size(other), Named::byte));
    expect_same(decoded([&](auto* t) { return MPI_Type_vector(3, 2, 5, other, t); }),
                vector(3, 2, 5, contiguous(mpi::size(other), Named::byte)));
  }
}

#if defined(MPI_UB) && defined(MPICH_NUMVERSION)
TEST(Decode, TakesBoundsThatMpi1SetByMembers) {
  constexpr std::array lengths{1, 2, 1};
  constexpr std::array<MPI_Aint, 3> places{-4, 0, 40};
  const std::array<MPI_Datatype, 3> types{MPI_LB, MPI_INT, MPI_UB};
  const Datatype type = decoded(
      [&](auto* t) { return MPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), t); });
  EXPECT_EQ(type.size(), 8);
  EXPECT_EQ(type.lb(), -4);
  EXPECT_EQ(type.extent(), 44);
}
#endif

}  // namespace
}  // namespace typewarp
