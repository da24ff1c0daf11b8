// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Long copies over a link, which DMA makes where it can.

#include "engine/cuda/memory_kinds.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>

#include <algorithm>
#include <optional>

namespace typewarp::test {
namespace {

constexpr std::int64_t bytes_of_one = std::int64_t{32} << 20;

/// Allocations of equal length, in the order of their addresses.
class Allocations {
 public:
  explicit Allocations(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) memory_.push_back(allocate(Source::device, bytes_of_one));
    std::ranges::sort(memory_, {}, [](const auto& one) { return one->data(); });
    for (std::size_t i = 0; i < n; ++i) {
      images_.push_back(noise(bytes_of_one, static_cast<std::uint32_t>(i)));
      memory_[i]->write(images_.back());
    }
  }

  std::byte* data(std::size_t i) const { return memory_[i]->data(); }
  const std::vector<std::byte>& image(std::size_t i) const { return images_[i]; }
  std::int64_t distance(std::size_t i) const { return data(i + 1) - data(i); }

  /// The first of three at one distance from each other.
  std::optional<std::size_t> evenly_spaced() const {
    for (std::size_t i = 0; i + 2 < memory_.size(); ++i) {
      if (distance(i) == distance(i + 1)) return i;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::unique_ptr<Memory>> memory_;
  std::vector<std::vector<std::byte>> images_;
};

// A struct of parts of several arrays is such a layout where the arrays lie at one distance.
TEST(CudaCopy, TakesRowsOfSeveralAllocations) {
  TYPEWARP_NEEDS_GPU();
  const Allocations three(16);
  const auto first = three.evenly_spaced();
  ASSERT_TRUE(first) << "no three of 16 allocations lie at one distance";
  constexpr std::int64_t row = std::int64_t{1} << 20;
  const Plan plan = commit(hvector(3, row, three.distance(*first), Named::byte));
  const auto packed = allocate(Source::pinned, 3 * row);
  const OwnStream stream;
  pack(three.data(*first), 1, plan, packed->data(), stream.get());
  stream.wait();
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto& image = three.image(*first + static_cast<std::size_t>(i));
    EXPECT_TRUE(std::equal(image.begin(), image.begin() + row, packed->data() + i * row)) << "row " << i;
  }

  const auto others = noise(3 * row, 77);
  packed->write(others);
  unpack(packed->data(), three.data(*first), 1, plan, stream.get());
  stream.wait();
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::size_t which = *first + static_cast<std::size_t>(i);
    auto expected = three.image(which);
    std::copy_n(others.begin() + i * row, row, expected.begin());
    std::vector<std::byte> seen(expected.size());
    ASSERT_CUDA(cudaMemcpy(seen.data(), three.data(which), seen.size(), cudaMemcpyDeviceToHost));
    EXPECT_TRUE(seen == expected) << "row " << i;
  }
}

TEST(CudaCopy, TakesConsecutiveBytesOfSeveralAllocations) {
  TYPEWARP_NEEDS_GPU();
  const Allocations two(16);
  std::size_t first = 0;
  while (first < 15 && two.distance(first) != bytes_of_one) ++first;
  if (first == 15) GTEST_SKIP() << "no two of 16 allocations lie one behind the other";
  const Plan plan = commit(contiguous(bytes_of_one, Named::byte));
  const auto packed = allocate(Source::pinned, bytes_of_one);
  const OwnStream stream;
  pack(two.data(first) + bytes_of_one / 2, 1, plan, packed->data(), stream.get());
  stream.wait();
  EXPECT_TRUE(
      std::equal(two.image(first).begin() + bytes_of_one / 2, two.image(first).end(), packed->data()));
  EXPECT_TRUE(std::equal(two.image(first + 1).begin(), two.image(first + 1).begin() + bytes_of_one / 2,
                         packed->data() + bytes_of_one / 2));
}

TEST(CudaCopy, ThatEndsOutsideOfAnyAllocationFails) {
  TYPEWARP_NEEDS_GPU();
  const auto user = allocate(Source::device, bytes_of_one);
  constexpr std::int64_t beyond = std::int64_t{1} << 40;
  const Plan plan = commit(contiguous(beyond, Named::byte));
  const auto packed = allocate(Source::pinned, std::int64_t{2} << 20);
  const OwnStream stream;
  EXPECT_THROW(pack(user->data(), 1, plan, packed->data(), stream.get()), CudaError);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace typewarp::test
