// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/user_buffer.hpp"

#include "support/random.hpp"
#include "support/type_map.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace typewarp::test {
namespace {

constexpr std::int64_t guard = 64;
constexpr std::int64_t long_double_value = 10;
constexpr std::int64_t long_double_size = 16;

std::int64_t last_item(const Datatype& type, std::int64_t count) {
  return std::max<std::int64_t>(count - 1, 0) * type.extent();
}

std::int64_t lowest(const Datatype& type, std::int64_t count) {
  return type.true_lb() + std::min<std::int64_t>(0, last_item(type, count));
}

std::int64_t highest(const Datatype& type, std::int64_t count) {
  return type.true_ub() + std::max<std::int64_t>(0, last_item(type, count));
}

bool of_long_doubles(Named type) {
  return type == Named::long_double || type == Named::complex_long_double ||
         type == Named::cxx_complex_long_double;
}

}  // namespace

Bytes pattern(std::int64_t bytes, std::uint64_t seed) {
  Bytes made(static_cast<std::size_t>(bytes));
  Random random(seed);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    word = i % 8 == 0 ? random.next() : word >> 8;
    made[i] = static_cast<std::byte>(word & 0xff);
  }
  return made;
}

UserBuffer::UserBuffer(const Datatype& type, std::int64_t count, std::uint64_t seed)
    : low_(lowest(type, count) - guard), bytes_(pattern(highest(type, count) + guard - low_, seed)) {}

void* UserBuffer::origin() {
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(bytes_.data()) - low_);
}

std::byte& UserBuffer::at(std::int64_t displacement) {
  return bytes_.at(static_cast<std::size_t>(displacement - low_));
}

Bytes gathered(UserBuffer& buffer, const Datatype& type, std::int64_t count) {
  Bytes packed;
  for (const Element& element : type_map(type, count)) {
    const std::byte& first = buffer.at(element.displacement);
    const std::byte& last = buffer.at(element.displacement + element.size - 1);
    packed.insert(packed.end(), &first, &last + 1);
  }
  return packed;
}

void scatter(const Bytes& packed, UserBuffer& buffer, const Datatype& type, std::int64_t count) {
  auto next = packed.begin();
  for (const Element& element : type_map(type, count)) {
    for (std::int64_t i = 0; i < element.size && next != packed.end(); ++i) {
      buffer.at(element.displacement + i) = *next++;
    }
  }
  if (next != packed.end()) throw std::out_of_range("scatter: more bytes than the items have");
}

std::vector<std::int64_t> positions_without_value(const Datatype& type, std::int64_t count) {
  std::vector<std::int64_t> positions;
  std::int64_t packed = 0;
  for (const Element& element : type_map(type, count)) {
    for (std::int64_t i = 0; of_long_doubles(element.type) && i < element.size; ++i) {
      if (i % long_double_size >= long_double_value) positions.push_back(packed + i);
    }
    packed += element.size;
  }
  return positions;
}

Datatype scattered_like(const Datatype& type, std::int64_t count, std::uint64_t seed) {
  return prefix_like(type, count, std::numeric_limits<std::int64_t>::max(), seed);
}

Datatype prefix_like(const Datatype& type, std::int64_t count, std::int64_t elements, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> places;
  std::vector<Datatype> children;
  std::int64_t next = random.range(-50, 50);
  const std::vector<Element> map = type_map(type, count);
  const std::int64_t taken = std::min(elements, static_cast<std::int64_t>(map.size()));
  const bool downwards = random.one_in(3);
  for (std::int64_t i = 0; i < taken; ++i) {
    const Element& element = map[static_cast<std::size_t>(i)];
    const std::int64_t gap = random.one_in(3) ? random.range(0, 20) : 0;
    if (downwards) next -= element.size + gap;
    places.push_back(next);
    children.emplace_back(element.type);
    if (!downwards) next += element.size + gap;
  }
  std::vector<std::int64_t> ones(children.size(), 1);
  return structure(std::move(ones), std::move(places), std::move(children));
}

}  // namespace typewarp::test
