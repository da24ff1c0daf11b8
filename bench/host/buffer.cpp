// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "workloads.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace typewarp::bench {
namespace {

constexpr std::size_t page = 4096;

std::byte* allocate(std::int64_t bytes) {
  const std::size_t size = (static_cast<std::size_t>(bytes) + page) / page * page;
  void* const data = std::aligned_alloc(page, size);
  if (data == nullptr) throw std::bad_alloc();
  std::memset(data, 1, size);
  return static_cast<std::byte*>(data);
}

}  // namespace

Buffer::Buffer(std::int64_t bytes) : data_(allocate(bytes)), bytes_(bytes) {}

void Buffer::Free::operator()(std::byte* data) const noexcept { std::free(data); }

}  // namespace typewarp::bench
