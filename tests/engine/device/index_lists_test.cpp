// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/device/indexed_copies.hpp"
#include "engine/device/indexed/index_lists.hpp"
#include "engine/runtime/memory_kinds.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace typewarp::gpu {
namespace {

using test::OwnStream;
constexpr std::int64_t bytes = std::int64_t{64} << 10;

std::unique_ptr<ResidentLists> lists_of(int value, Stream stream) {
  return std::make_unique<ResidentLists>(0, bytes, stream,
                                         [&](std::byte* to) { std::memset(to, value, bytes); });
}

TEST(ResidentLists, KeepTheirBytesAndLeaveFewIdle) {
  TYPEWARP_NEEDS_GPU();
  constexpr int many = 100;
  Device& home = device(0);
  home.prepare();
  const OwnStream stream;
  std::vector<std::unique_ptr<ResidentLists>> all;
  for (int i = 0; i < many; ++i) all.push_back(lists_of(i, stream.get()));
  stream.wait();
  for (int i = 0; i < many; ++i) {
    std::vector<std::byte> found(bytes);
    ASSERT_CUDA(cudaMemcpy(found.data(), all[static_cast<std::size_t>(i)]->data(), bytes, cudaMemcpyDefault));
    ASSERT_EQ(found, std::vector<std::byte>(bytes, static_cast<std::byte>(i)));
  }
  const std::int64_t before = home.retired_bytes();
  all.clear();
  const auto next = lists_of(0, stream.get());
  EXPECT_GE(home.retired_bytes() - before, (many - static_cast<int>(IndexLists::most_idle) - 1) * bytes);
  stream.wait();
}

}  // namespace
}  // namespace typewarp::gpu
