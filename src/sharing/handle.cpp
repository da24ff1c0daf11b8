// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/handle.hpp"

#include <typewarp/error.hpp>
#include <typewarp/registered_memory.hpp>

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace typewarp::sharing {
namespace {

/// What a handle begins with; the ranges follow.
struct Head {
  std::array<char, 8> what;
  FilePlace page;
  std::int64_t signals;
  std::int64_t ranges;
};
static_assert(std::has_unique_object_representations_v<Head> &&
                  std::has_unique_object_representations_v<RangeHandle>,
              "they travel as bytes, so none is unset");
constexpr std::array<char, 8> version{'t', 'y', 'p', 'e', 'w', 'r', 'p', '1'};

[[noreturn]] void refuse(std::string_view field, std::int64_t value, std::string_view rule) {
  throw InvalidArgument("typewarp::RemoteMemory", "handle" + std::string(field), value, rule);
}

}  // namespace

std::vector<std::byte> to_handle(const Registration& registration) {
  const Head head{version, registration.page, registration.signals,
                  static_cast<std::int64_t>(registration.ranges.size())};
  const std::size_t tail = registration.ranges.size() * sizeof(RangeHandle);
  std::vector<std::byte> handle(sizeof head + tail);
  std::memcpy(handle.data(), &head, sizeof head);
  if (tail > 0) std::memcpy(handle.data() + sizeof head, registration.ranges.data(), tail);
  return handle;
}

Registration from_handle(std::span<const std::byte> handle) {
  const auto bytes = static_cast<std::int64_t>(handle.size());
  Head head{};
  if (handle.size() >= sizeof head) std::memcpy(&head, handle.data(), sizeof head);
  if (head.what != version) refuse("", bytes, "bytes: must be what RegisteredMemory::handle() gives");
  if (head.signals < 0 || head.signals > RegisteredMemory::most_signals) {
    refuse(".signals", head.signals, "is no number of signals");
  }
  constexpr auto each = static_cast<std::int64_t>(sizeof(RangeHandle));
  if (head.ranges < 0 || head.ranges > RegisteredMemory::most_ranges ||
      bytes != static_cast<std::int64_t>(sizeof head) + head.ranges * each) {
    refuse(".ranges", head.ranges, "is not how many follow");
  }
  Registration registration{head.page, head.signals, {}};
  registration.ranges.resize(static_cast<std::size_t>(head.ranges));
  if (head.ranges > 0) {
    std::memcpy(registration.ranges.data(), handle.data() + sizeof head, handle.size() - sizeof head);
  }
  for (const RangeHandle& range : registration.ranges) {
    const gpu::SharedMemory& memory = range.memory;
    if (memory.kind != gpu::SharedMemory::Kind::ipc) {
      refuse(".kind", static_cast<std::int64_t>(memory.kind), "is none that is known");
    }
    if (memory.size <= 0 || memory.offset < 0 || range.bytes < 0 ||
        memory.size - memory.offset < range.bytes) {
      refuse(".ranges", range.bytes, "bytes: a range must lie in its allocation");
    }
  }
  return registration;
}

}  // namespace typewarp::sharing
