// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "buffer.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace typewarp::bench {
namespace {

constexpr std::size_t page = 4096;

}  // namespace

std::shared_ptr<std::byte> allocate_host(std::int64_t bytes) {
  const std::size_t size = (static_cast<std::size_t>(bytes) + page) / page * page;
  void* const data = std::aligned_alloc(page, size);
  if (data == nullptr) throw std::bad_alloc();
  std::memset(data, 1, size);
  return {static_cast<std::byte*>(data), [](std::byte* p) { std::free(p); }};
}

}  // namespace typewarp::bench
