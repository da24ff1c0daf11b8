// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Long copies over a link, which DMA makes where it can.

#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>
#include <typewarp/persistent.hpp>

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

/// The first of two of which one begins where the other ends.
std::optional<std::size_t> adjacent(const Allocations& some, std::size_t n) {
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (some.distance(i) == bytes_of_one) return i;
  }
  return std::nullopt;
}

constexpr std::size_t allocations = 16;
constexpr std::int64_t row = std::int64_t{1} << 20;

// A struct of parts of several arrays is such a layout where the arrays lie at one distance.
TEST(CudaCopy, TakesRowsOfSeveralAllocations) {
  TYPEWARP_NEEDS_GPU();
  const Allocations three(allocations);
  const auto first = three.evenly_spaced();
  if (!first) GTEST_SKIP() << "needs three allocations at equal distances";
  const std::int64_t pitch = three.distance(*first);
  const auto packed = allocate(Source::pinned, 3 * row);
  const OwnStream stream;
  const cudaError_t by_dma =
      cudaMemcpy2DAsync(packed->data(), row, three.data(*first), static_cast<std::size_t>(pitch), row, 3,
                        cudaMemcpyDefault, stream.get());
  static_cast<void>(cudaGetLastError());
  stream.wait();
  RecordProperty("dma", cudaGetErrorName(by_dma));
  const Plan plan = commit(hvector(3, row, pitch, Named::byte));
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
  const Allocations two(allocations);
  const auto first = adjacent(two, allocations);
  if (!first) GTEST_SKIP() << "needs two allocations one behind the other";
  constexpr std::int64_t half = bytes_of_one / 2;
  const Plan plan = commit(contiguous(bytes_of_one, Named::byte));
  const auto packed = allocate(Source::pinned, bytes_of_one);
  const OwnStream stream;
  const auto expect_right = [&] {
    EXPECT_TRUE(std::equal(two.image(*first).begin() + half, two.image(*first).end(), packed->data()));
    EXPECT_TRUE(std::equal(two.image(*first + 1).begin(), two.image(*first + 1).begin() + half,
                           packed->data() + half));
  };
  pack(two.data(*first) + half, 1, plan, packed->data(), stream.get());
  stream.wait();
  expect_right();
  packed->write(std::vector<std::byte>(bytes_of_one));
  Persistent recorded = Persistent::pack_init(two.data(*first) + half, 1, plan, packed->data());
  recorded.start(stream.get());
  recorded.wait();
  expect_right();
}

TEST(CudaCopy, ThatEndsOutsideOfAnyAllocationFails) {
  TYPEWARP_NEEDS_GPU();
  const auto user = allocate(Source::device, bytes_of_one);
  constexpr std::int64_t beyond = std::int64_t{1} << 40;
  const Plan plan = commit(contiguous(beyond, Named::byte));
  const auto packed = allocate(Source::pinned, std::int64_t{2} << 20);
  const OwnStream stream;
  // Where `packed` lies behind `user`, the engine refuses it as part of what is read.
  EXPECT_THROW(pack(user->data(), 1, plan, packed->data(), stream.get()), Error);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace typewarp::test
