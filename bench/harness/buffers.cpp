// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.hpp"

#include <cstdlib>
#include <new>

namespace typewarp::harness {
namespace {

constexpr std::int64_t page = 4096;

std::shared_ptr<std::byte> allocate_host(std::int64_t bytes) {
  const auto rounded = static_cast<std::size_t>((bytes + page - 1) / page * page);
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(page, rounded));
  if (data == nullptr) throw std::bad_alloc();
  return {data, [](std::byte* begin) { std::free(begin); }};
}

}  // namespace

const char* name(Place place) { return place == Place::host ? "host" : "device"; }

std::string name(Pair pair) { return std::string(name(pair.from)) + "-" + name(pair.to); }

std::int64_t Buffers::needed(const Layout& layout) {
  return (layout.offset + layout.root->true_ub + page - 1) / page * page;
}

std::shared_ptr<std::byte> allocate(Place place, std::int64_t bytes) {
  return place == Place::host ? allocate_host(bytes) : device::allocate(bytes);
}

void Buffers::allocate(Place place, std::int64_t bytes) {
  const auto make = [&] { return harness::allocate(place, bytes); };
  (place == Place::host ? host_ : device_) = Both{make(), make()};
}

}  // namespace typewarp::harness
