// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "indices.hpp"

#include "operand.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

namespace typewarp::python {
namespace {

template <typename Integer>
std::vector<std::int64_t> widened(const std::vector<std::byte>& bytes) {
  std::vector<std::int64_t> result(bytes.size() / sizeof(Integer));
  for (std::size_t i = 0; i < result.size(); ++i) {
    Integer value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    result[i] = std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                                   : std::numeric_limits<std::int64_t>::max();
  }
  return result;
}

void swap_bytes(std::vector<std::byte>& bytes, std::int64_t word) {
  for (auto at = bytes.begin(); at != bytes.end(); at += word) std::reverse(at, at + word);
}

struct Integers {
  std::string_view name;
  std::vector<std::int64_t> (*widen)(const std::vector<std::byte>&);
};
constexpr std::array<Integers, 8> kinds{{{"int8", widened<std::int8_t>},
                                         {"int16", widened<std::int16_t>},
                                         {"int32", widened<std::int32_t>},
                                         {"int64", widened<std::int64_t>},
                                         {"uint8", widened<std::uint8_t>},
                                         {"uint16", widened<std::uint16_t>},
                                         {"uint32", widened<std::uint32_t>},
                                         {"uint64", widened<std::uint64_t>}}};

}  // namespace

std::vector<std::byte> bytes_of(const char* argument, View& view, std::uintptr_t stream) {
  check_reachable(argument, view);
  std::vector<std::byte> bytes(static_cast<std::size_t>(view.bytes()));
  const Items& items = view.items();
  moved({&view},
        [&] { typewarp::pack(items.buffer, items.count, items.plan, bytes.data(), stream_of(stream)); });
  return bytes;
}

std::vector<std::int64_t> integers_of(const char* argument, View& view, std::uintptr_t stream) {
  const Element& element = view.array().element;
  const auto* const found = std::ranges::find(kinds, element.name_in_order(), &Integers::name);
  if (found == kinds.end()) refuse(argument, "has elements of " + element.name() + ", must have integers");
  if (view.array().dimensions.size() != 1) {
    refuse(argument, "has " + std::to_string(view.array().dimensions.size()) + " dimensions, must have one");
  }
  std::vector<std::byte> bytes = bytes_of(argument, view, stream);
  if (element.swapped()) swap_bytes(bytes, element.bytes());
  return found->widen(bytes);
}

}  // namespace typewarp::python
