// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/engine.hpp"

#include "engine/host/pool.hpp"
#include "engine/host/side.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <string>

namespace typewarp::host {
namespace {

constexpr Policy default_policy{};
constexpr std::int64_t cache_line = 64;

std::string text(ByteRange range) {
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

[[noreturn, gnu::cold]] void refuse_range(std::string_view call, ByteRange range, std::int64_t size) {
  throw InvalidArgument(call, "range", text(range), "must lie in " + text({0, size}));
}

}  // namespace

void check_range(std::string_view call, ByteRange range, std::int64_t size) {
  if (range.begin < 0 || range.begin > range.end || range.end > size) refuse_range(call, range, size);
}

int worthwhile_threads(int threads, std::int64_t work, const Policy& policy) {
  // Asked even for small data, so that a malformed TYPEWARP_HOST_THREADS shows at the first operation.
  const std::int64_t most = threads == 0 ? default_threads() : threads;
  if (work < 2 * policy.bytes_per_thread) return 1;
  return static_cast<int>(std::min(most, work / policy.bytes_per_thread));
}

namespace {

void check_threads(std::string_view call, int threads) {
  if (threads < 0) throw InvalidArgument(call, "threads", threads, "must not be negative");
}

/// Calls `move(part)` for the parts of `range` on several threads. Parts meet at multiples of cache lines of
/// the packed stream seen from `origin`, so that no two threads write to one line there.
template <typename Move>
void in_parts(ByteRange range, const std::byte* origin, int threads, const Policy& policy, const Move& move) {
  const std::int64_t bytes = range.end - range.begin;
  const std::int64_t lines = bytes / cache_line + 1;
  const std::int64_t parts = std::min(lines, threads * policy.parts_per_thread);
  const std::int64_t step = (lines + parts - 1) / parts * cache_line;
  const auto misaligned = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(origin) % cache_line);
  run_parts(threads, parts, [&](std::int64_t i) {
    const std::int64_t begin = i == 0 ? 0 : std::min(bytes, i * step - misaligned);
    const std::int64_t end = i + 1 == parts ? bytes : std::min(bytes, (i + 1) * step - misaligned);
    if (begin < end) move(ByteRange{range.begin + begin, range.begin + end});
  });
}

void move_packed(std::string_view call, Way way, const void* buffer, std::int64_t count, const Plan& plan,
                 std::byte* packed, ByteRange range, int threads, const Policy& policy) {
  const HostSide side(call, "count", buffer, count, plan);
  check_range(call, range, side.size());
  check_threads(call, threads);
  if (range.begin == range.end) return;
  if (packed == nullptr) throw InvalidArgument(call, "packed", "null", "must not be null");
  const int workers =
      threads == 1 ? 1 : worthwhile_threads(threads, side.work(range.end - range.begin), policy);
  if (workers == 1) return side.move(way, packed, range);
  in_parts(range, packed, workers, policy,
           [&](ByteRange part) { side.move(way, packed + (part.begin - range.begin), part); });
}

/// One thread's part of a copy from layout to layout.
void copy_part(const HostSide& source, const HostSide& destination, ByteRange range, const Policy& policy) {
  const std::int64_t source_run = source.average_run();
  const std::int64_t destination_run = destination.average_run();
  const bool from_runs = source_run >= destination_run;
  if (std::max(source_run, destination_run) >= policy.direct_run) {
    const HostSide& longer = from_runs ? source : destination;
    const HostSide& shorter = from_runs ? destination : source;
    while (range.begin < range.end) {
      const HostSide::Piece piece = longer.piece(range.begin);
      const std::int64_t end = std::min(range.end, range.begin + piece.bytes);
      shorter.move(from_runs ? Way::unpack : Way::pack, piece.address, {range.begin, end});
      range.begin = end;
    }
    return;
  }
  std::byte tile[Policy::tile_capacity];
  const std::int64_t step = std::clamp<std::int64_t>(policy.tile, 1, Policy::tile_capacity);
  while (range.begin < range.end) {
    const std::int64_t end = std::min(range.end, range.begin + step);
    source.move(Way::pack, tile, {range.begin, end});
    destination.move(Way::unpack, tile, {range.begin, end});
    range.begin = end;
  }
}

}  // namespace

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads, const Policy& policy) {
  move_packed("typewarp::host::pack", Way::pack, buffer, count, plan, static_cast<std::byte*>(packed), range,
              threads, policy);
}

void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads, const Policy& policy) {
  // Unpacking never writes through `packed`.
  move_packed("typewarp::host::unpack", Way::unpack, buffer, count, plan,
              static_cast<std::byte*>(const_cast<void*>(packed)), range, threads, policy);
}

void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads,
          const Policy& policy) {
  constexpr std::string_view call = "typewarp::host::copy";
  const HostSide from(call, "source_count", source, source_count, source_plan);
  const HostSide to(call, "destination_count", destination, destination_count, destination_plan);
  check_range(call, range, std::min(from.size(), to.size()));
  check_threads(call, threads);
  if (range.begin == range.end) return;
  const int workers =
      threads == 1
          ? 1
          : worthwhile_threads(threads, from.work(range.end - range.begin) + to.work(range.end - range.begin),
                               policy);
  if (workers == 1) return copy_part(from, to, range, policy);
  in_parts(range, nullptr, workers, policy, [&](ByteRange part) { copy_part(from, to, part, policy); });
}

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          int threads) {
  pack(buffer, count, plan, packed, range, threads, default_policy);
}

void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            int threads) {
  unpack(packed, buffer, count, plan, range, threads, default_policy);
}

void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, int threads) {
  copy(source, source_count, source_plan, destination, destination_count, destination_plan, range, threads,
       default_policy);
}

}  // namespace typewarp::host
