// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/indexed_copy.hpp>

#include <algorithm>
#include <cstring>

/// Types and streams beyond 32 bits.
namespace typewarp::test {
namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr std::int64_t beyond_31_bits = (std::int64_t{1} << 31) + 12345;
constexpr std::int64_t period = 1048573;  // prime, so that no power of two hides a wrong address

/// Fills device memory with repetitions of `pattern`.
void fill(Memory& memory, std::int64_t bytes, const std::vector<std::byte>& pattern) {
  memory.write(pattern);
  for (std::int64_t done = period; done < bytes;) {
    const std::int64_t next = std::min(done, bytes - done);
    ASSERT_CUDA(
        cudaMemcpy(memory.data() + done, memory.data(), static_cast<std::size_t>(next), cudaMemcpyDefault));
    done += next;
  }
  ASSERT_CUDA(cudaDeviceSynchronize());
}

/// `bytes` bytes of device memory are repetitions of `expected`.
void expect_repeats(const std::byte* device, std::int64_t bytes, const std::vector<std::byte>& expected) {
  constexpr std::int64_t periods_at_once = 32;
  const auto chunk = allocate(Source::pinned, periods_at_once * period);
  for (std::int64_t at = 0; at < bytes; at += periods_at_once * period) {
    const std::int64_t length = std::min(periods_at_once * period, bytes - at);
    ASSERT_CUDA(cudaMemcpy(chunk->data(), device + at, static_cast<std::size_t>(length), cudaMemcpyDefault));
    for (std::int64_t p = 0; p < length; p += period) {
      const auto part = static_cast<std::size_t>(std::min(period, length - p));
      ASSERT_EQ(std::memcmp(chunk->data() + p, expected.data(), part), 0) << "near byte " << at + p;
    }
  }
}

/// Every `step`-th byte of repetitions of `pattern`, from `first` on: also of that period.
std::vector<std::byte> every(const std::vector<std::byte>& pattern, std::int64_t step, std::int64_t first) {
  std::vector<std::byte> result;
  for (std::int64_t i = 0; i < period; ++i) {
    result.push_back(pattern[static_cast<std::size_t>((first + i * step) % period)]);
  }
  return result;
}

// More words than one launch numbers.
TEST(CudaLarge, ItemsOfOneByte) {
  TYPEWARP_NEEDS_GPU();
  constexpr std::int64_t count = gib + 12345;
  const OwnStream stream;
  const auto source = allocate(Source::device, count), destination = allocate(Source::device, count);
  const auto pattern = noise(period, 1);
  fill(*source, count, pattern);
  const Plan byte = commit(Named::byte);
  const ItemArray from{source->data(), count, 1, byte}, to{destination->data(), count, 1, byte};
  IndexedCopy copy(std::span(&from, 1), std::span(&to, 1));
  copy.copy({}, {}, count, stream.get());
  stream.wait();
  expect_repeats(destination->data(), count, pattern);
}

TEST(CudaLarge, BlocksFiveGibibytesApart) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto user = allocate(Source::device, 6 * gib);
  const auto near = noise(64, 1);
  const auto far = noise(64, 2);
  ASSERT_CUDA(cudaMemcpy(user->data(), near.data(), 64, cudaMemcpyDefault));
  ASSERT_CUDA(cudaMemcpy(user->data() + 5 * gib, far.data(), 64, cudaMemcpyDefault));
  const auto packed = allocate(Source::device, 128);
  for (const std::int64_t last : {8, 24}) {  // regular and irregular
    const Plan plan = commit(hindexed({8, last}, {0, 5 * gib}, Named::byte));
    pack(user->data(), 1, plan, packed->data(), stream.get());
    auto expected = std::vector(near.begin(), near.begin() + 8);
    expected.insert(expected.end(), far.begin(), far.begin() + last);
    EXPECT_EQ(contents(*packed, plan.size()), expected);
    packed->write(noise(128, 3));
    unpack(packed->data(), user->data() + 64, 1, plan, stream.get());
    std::vector<std::byte> moved(static_cast<std::size_t>(last));
    stream.wait();
    ASSERT_CUDA(cudaMemcpy(moved.data(), user->data() + 5 * gib + 64, moved.size(), cudaMemcpyDefault));
    const auto sent = noise(128, 3);
    EXPECT_EQ(moved, std::vector(sent.begin() + 8, sent.begin() + 8 + last));
  }
}

TEST(CudaLarge, StridedWordsBeyond31Bits) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto pattern = noise(period, 4);
  const auto user = allocate(Source::device, 2 * beyond_31_bits);
  const auto packed = allocate(Source::device, beyond_31_bits);
  fill(*user, 2 * beyond_31_bits, pattern);
  const Plan plan = commit(vector(beyond_31_bits, 1, 2, Named::byte));
  pack(user->data() + 1, 1, plan, packed->data(), stream.get());
  stream.wait();
  expect_repeats(packed->data(), beyond_31_bits, every(pattern, 2, 1));

  ASSERT_CUDA(cudaMemset(user->data(), 0, static_cast<std::size_t>(2 * beyond_31_bits)));
  ASSERT_CUDA(cudaDeviceSynchronize());
  unpack(packed->data(), user->data(), 1, plan, stream.get());
  stream.wait();
  // Byte 2i holds byte 2i + 1 of the pattern, and the odd bytes are untouched: together two periods.
  const Plan odd = commit(vector(beyond_31_bits, 1, 2, Named::byte));
  pack(user->data(), 1, odd, packed->data(), stream.get());
  stream.wait();
  expect_repeats(packed->data(), beyond_31_bits, every(pattern, 2, 1));
  pack(user->data() + 1, 1, odd, packed->data(), {0, beyond_31_bits - 1}, stream.get());
  stream.wait();
  expect_repeats(packed->data(), beyond_31_bits - 1, std::vector<std::byte>(period));
}

TEST(CudaLarge, IrregularWordsBeyond31Bits) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  const auto pattern = noise(period, 5);
  const std::int64_t second = beyond_31_bits + 5;
  const std::int64_t third = second + 100;
  const auto user = allocate(Source::device, third + 64);
  fill(*user, third + 64, pattern);
  const Plan plan = commit(hindexed({beyond_31_bits, 3, 50}, {1, second, third}, Named::byte));
  const auto packed = allocate(Source::device, plan.size());
  pack(user->data(), 1, plan, packed->data(), stream.get());
  stream.wait();
  expect_repeats(packed->data(), beyond_31_bits, every(pattern, 1, 1));
  expect_repeats(packed->data() + beyond_31_bits, 3, every(pattern, 1, second));
  expect_repeats(packed->data() + beyond_31_bits + 3, 50, every(pattern, 1, third));
}

}  // namespace
}  // namespace typewarp::test
