// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/step.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <vector>

namespace typewarp::host {
namespace {

using Choose = void (*)(Step&);

/// Memory that ends where its allocation ends, so that a sanitizer sees any access outside; filled by index.
class Filled {
 public:
  Filled(std::int64_t bytes, unsigned seed) : data_(static_cast<std::size_t>(bytes)) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>((i * 167 + seed) % 253);
  }
  std::byte* data() { return data_.data(); }
  std::byte& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
  friend bool operator==(const Filled&, const Filled&) = default;

 private:
  std::vector<std::byte> data_;
};

Step make_run(std::int64_t length, Choose choose) {
  Step run;
  run.size = length;
  run.count = length;
  choose(run);
  return run;
}

Step make_repeat(const Step& child, std::int64_t count, std::int64_t stride, Choose choose) {
  Step repeat;
  repeat.kind = plan::Kind::repeat;
  repeat.count = count;
  repeat.stride = stride;
  repeat.child_size = child.size;
  repeat.size = count * child.size;
  repeat.child = &child;
  choose(repeat);
  return repeat;
}

/// Runs both kernels of `step` over children [first, last) and compares with moving run after run: `starts`
/// are the user offsets of the runs of those children.
void expect_moves(const Step& step, std::int64_t first, std::int64_t last,
                  const std::vector<std::int64_t>& starts, std::int64_t length, std::int64_t user_bytes,
                  std::int64_t origin) {
  const std::int64_t packed_bytes = static_cast<std::int64_t>(starts.size()) * length;
  Filled user(user_bytes, 1);
  Filled packed(packed_bytes, 2);
  Filled expected_packed(packed_bytes, 2);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::memcpy(expected_packed.data() + static_cast<std::int64_t>(i) * length, user.data() + starts[i],
                static_cast<std::size_t>(length));
  }
  step.pack(step, user.data() + origin, packed.data(), first, last);
  ASSERT_TRUE(packed == expected_packed) << "pack, run of " << length;
  ASSERT_TRUE(user == Filled(user_bytes, 1)) << "pack wrote to its source, run of " << length;

  Filled stream(packed_bytes, 3);
  Filled expected_user(user_bytes, 1);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::memcpy(expected_user.data() + starts[i], stream.data() + static_cast<std::int64_t>(i) * length,
                static_cast<std::size_t>(length));
  }
  step.unpack(step, user.data() + origin, stream.data(), first, last);
  ASSERT_TRUE(user == expected_user) << "unpack, run of " << length;
}

struct Set {
  const char* name;
  Choose choose;
};

void PrintTo(const Set& set, std::ostream* out) { *out << set.name; }

class HostKernels : public testing::TestWithParam<Set> {
 protected:
  void SetUp() override {
    if (GetParam().choose == &avx2::choose_kernels && !avx2::supported())
      GTEST_SKIP() << "needs a processor with AVX2";
  }
  static std::vector<std::int64_t> lengths() {
    std::vector<std::int64_t> all;
    for (std::int64_t length = 1; length <= 300; ++length) all.push_back(length);
    for (const std::int64_t length : {511, 1024, 4097, 70000}) all.push_back(length);
    return all;
  }
};

TEST_P(HostKernels, RepeatOfRun) {
  for (const std::int64_t length : lengths()) {
    const Step run = make_run(length, GetParam().choose);
    for (const std::int64_t gap : {1, 7}) {
      const std::int64_t stride = length + gap;
      constexpr std::int64_t count = 11;
      const Step step = make_repeat(run, count, stride, GetParam().choose);
      const std::int64_t user_bytes = (count - 1) * stride + length;
      std::vector<std::int64_t> starts;
      for (std::int64_t i = 2; i < count; ++i) starts.push_back(i * stride);
      ASSERT_NO_FATAL_FAILURE(expect_moves(step, 2, count, starts, length, user_bytes, 0));

      const Step backwards = make_repeat(run, count, -stride, GetParam().choose);
      for (std::int64_t& start : starts) start = user_bytes - length - start;
      ASSERT_NO_FATAL_FAILURE(
          expect_moves(backwards, 2, count, starts, length, user_bytes, user_bytes - length));
    }
  }
}

TEST_P(HostKernels, RepeatOfRepeatOfRun) {
  for (const std::int64_t length : lengths()) {
    const Step run = make_run(length, GetParam().choose);
    constexpr std::int64_t rows = 5;
    constexpr std::int64_t planes = 4;
    const std::int64_t stride = length + 3;
    const std::int64_t plane = rows * stride + 5;
    const Step inner = make_repeat(run, rows, stride, GetParam().choose);
    const Step step = make_repeat(inner, planes, plane, GetParam().choose);
    std::vector<std::int64_t> starts;
    for (std::int64_t p = 1; p < planes; ++p) {
      for (std::int64_t row = 0; row < rows; ++row) starts.push_back(p * plane + row * stride);
    }
    ASSERT_NO_FATAL_FAILURE(expect_moves(step, 1, planes, starts, length, planes * plane, 0));
  }
}

TEST_P(HostKernels, Transposed) {
  for (std::int64_t length = 1; length <= 32; ++length) {
    const Step run = make_run(length, GetParam().choose);
    constexpr std::int64_t rows = 6;
    constexpr std::int64_t columns = 29;
    const std::int64_t pitch = columns * length + 64;
    const Step inner = make_repeat(run, rows, pitch, GetParam().choose);
    const Step step = make_repeat(inner, columns, length, GetParam().choose);
    std::vector<std::int64_t> starts;
    for (std::int64_t column = 3; column < columns; ++column) {
      for (std::int64_t row = 0; row < rows; ++row) starts.push_back(row * pitch + column * length);
    }
    ASSERT_NO_FATAL_FAILURE(
        expect_moves(step, 3, columns, starts, length, (rows - 1) * pitch + columns * length, 0));
  }
}

template <typename Index>
Step make_blocks(const Step& child, const std::vector<Index>& at, Choose choose) {
  Step blocks;
  blocks.kind = plan::Kind::blocks;
  blocks.width = sizeof(Index);
  blocks.count = static_cast<std::int64_t>(at.size());
  blocks.child_size = child.size;
  blocks.size = blocks.count * child.size;
  blocks.displacements = reinterpret_cast<const std::byte*>(at.data());
  blocks.child = &child;
  choose(blocks);
  return blocks;
}

TEST_P(HostKernels, BlocksOfRun) {
  for (const std::int64_t length : lengths()) {
    const Step run = make_run(length, GetParam().choose);
    const std::vector<std::int64_t> order{4, 0, 7, 2, 1, 6, 3};
    std::vector<std::int64_t> wide;
    std::vector<std::int32_t> narrow;
    for (const std::int64_t place : order) {
      wide.push_back(place * (length + 2));
      narrow.push_back(static_cast<std::int32_t>(wide.back()));
    }
    const std::vector<std::int64_t> starts(wide.begin() + 1, wide.end());
    const std::int64_t user_bytes = 7 * (length + 2) + length;
    ASSERT_NO_FATAL_FAILURE(
        expect_moves(make_blocks(run, wide, GetParam().choose), 1, 7, starts, length, user_bytes, 0));
    ASSERT_NO_FATAL_FAILURE(
        expect_moves(make_blocks(run, narrow, GetParam().choose), 1, 7, starts, length, user_bytes, 0));
  }
}

/// So many lines that the kernels ask for them ahead.
TEST_P(HostKernels, SparseRunsBeyondTheCaches) {
  for (const std::int64_t length : {8, 12, 100}) {
    const Step run = make_run(length, GetParam().choose);
    const std::int64_t count = Policy::prefetch_from + 3;
    const std::int64_t stride = Policy::prefetch_stride;
    const Step step = make_repeat(run, count, stride, GetParam().choose);
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < count; ++i) starts.push_back(i * stride);
    ASSERT_NO_FATAL_FAILURE(expect_moves(step, 0, count, starts, length, (count - 1) * stride + length, 0));
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, HostKernels,
                         testing::Values(Set{"baseline", &baseline::choose_kernels},
                                         Set{"avx2", &avx2::choose_kernels}),
                         [](const auto& set) { return set.param.name; });

}  // namespace
}  // namespace typewarp::host
