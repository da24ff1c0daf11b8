// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The engine against MPI_Pack and MPI_Unpack of a real MPI, byte for byte, on random types in host memory.
// The MPI's datatype is decoded again, so that types whose bounds the MPI computes its own way are compared
// too.

#include "mpi/mpi_type.hpp"
#include "mpi/rules.hpp"
#include "support/environment.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"
#include "support/user_buffer.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/mpi.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

namespace typewarp {
namespace {

using test::Bytes;
using test::MpiType;
using test::UserBuffer;

const std::uint64_t types = test::at_most_types(2500);
constexpr int most_items = 3;
constexpr std::size_t guard = 64;  // bytes after the packed ones, which must stay

/// One random type in the MPI's hands, and what the MPI made of it in ours.
struct Case {
  explicit Case(const Datatype& type)
      : handle(mpi::encode(type)), datatype(mpi::decode(handle.get())), plan(commit(datatype)) {}

  MpiType handle;
  Datatype datatype;
  Plan plan;
};

std::byte& at(Bytes& bytes, std::int64_t i) { return bytes[static_cast<std::size_t>(i)]; }

void expect_equal(const Bytes& actual, const Bytes& expected, std::uint64_t seed, int count,
                  const Datatype& type) {
  if (actual == expected) return;
  const auto difference = std::ranges::mismatch(actual, expected);
  FAIL() << "seed " << seed << ", count " << count << ": byte " << difference.in1 - actual.begin() << " of "
         << expected.size() << " differs from the MPI's\n"
         << type;
}

void compare_pack(std::uint64_t seed, const Case& item, int count) {
  UserBuffer user(item.datatype, count, seed);
  const auto size = static_cast<std::size_t>(item.datatype.size() * count);
  Bytes real(size + guard, std::byte{0xa5});
  Bytes ours = real;
  int position = 0;
  ASSERT_EQ(MPI_Pack(user.origin(), count, item.handle.get(), real.data(), static_cast<int>(size), &position,
                     MPI_COMM_WORLD),
            MPI_SUCCESS);
  ASSERT_EQ(static_cast<std::size_t>(position), size) << "seed " << seed;
  pack(user.origin(), count, item.plan, ours.data(), nullptr);
  for (const std::int64_t i : test::positions_without_value(item.datatype, count)) at(real, i) = at(ours, i);
  expect_equal(ours, real, seed, count, item.datatype);
}

void compare_unpack(std::uint64_t seed, const Case& item, int count) {
  UserBuffer real(item.datatype, count, seed);
  UserBuffer ours(item.datatype, count, seed);
  const std::int64_t size = item.datatype.size() * count;
  const Bytes packed = test::pattern(std::max<std::int64_t>(size, 1), seed + 1);
  int position = 0;
  ASSERT_EQ(MPI_Unpack(packed.data(), static_cast<int>(size), &position, real.origin(), count,
                       item.handle.get(), MPI_COMM_WORLD),
            MPI_SUCCESS);
  unpack(packed.data(), ours.origin(), count, item.plan, nullptr);
  const std::vector<std::int64_t> displacements = test::byte_map(item.datatype, count);
  for (const std::int64_t i : test::positions_without_value(item.datatype, count)) {
    const std::int64_t displacement = displacements[static_cast<std::size_t>(i)];
    real.at(displacement) = ours.at(displacement);
  }
  expect_equal(ours.bytes(), real.bytes(), seed, count, item.datatype);
}

/// Calls `compare(seed, case, count)` for so many random types that the MPI can be trusted with.
template <typename Compare>
void for_random_types(const test::RandomTypeOptions& options, Compare compare) {
  std::uint64_t compared = 0;
  std::uint64_t seed = 1;
  for (; compared < types; ++seed) {
    const Datatype type = test::random_type(seed, options);
    if (test::defect_of_this_mpi(type) != nullptr) continue;
    const Case item(type);
    for (int count = 1; count <= most_items; ++count) {
      compare(seed, item, count);
      if (testing::Test::HasFailure()) return;
    }
    ++compared;
  }
  std::cout << compared << " types compared, " << seed - 1 - compared
            << " left out for a known defect of this MPI\n";
  EXPECT_LT(seed - 1 - compared, types / 4);
}

TEST(Pack, RandomTypesLikeTheMpi) { for_random_types({}, compare_pack); }

TEST(Pack, RandomTypesWithOverlapsLikeTheMpi) { for_random_types({.overlap = true}, compare_pack); }

TEST(Unpack, RandomTypesLikeTheMpi) { for_random_types({}, compare_unpack); }

}  // namespace
}  // namespace typewarp
