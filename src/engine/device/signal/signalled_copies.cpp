// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signalled_copies.hpp"

#include "engine/device/batch/across_holes.hpp"
#include "engine/runtime/stream_operations.hpp"
#include "engine/device/kernels/launch.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/device/signal/flag_table.hpp"
#include "engine/runtime/displaced.hpp"

#include <algorithm>
#include <bit>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace typewarp::gpu {
namespace {

using Tables = std::vector<std::unique_ptr<LongCopies>>;

/// Several long copies alternate, each with so many bytes: a device has about 16 MiB in flight at a time, so
/// that its memory and each of its links are busy at the same time and not one after the other. Not measured.
constexpr std::int64_t slice = std::int64_t{4} << 20;

/// A side as a kernel sees bytes `range` of it. Packed bytes are seen as if they began there: their indices
/// stay small.
class RangeSide {
 public:
  RangeSide(const Side& side, ByteRange range, const Device& device)
      : range_(side.plan != nullptr ? range : ByteRange{0, range.end - range.begin}),
        operand_(side.plan != nullptr ? side : from_byte(side, range.begin), range_, device) {}

  /// Bits whose lowest set one is the widest word that the side allows.
  std::int64_t alignment() const noexcept { return operand_.alignment() | range_.begin | range_.end; }
  /// Of the whole range.
  View view(ByteRange, int word_log2, Lookup& lookup) const {
    return operand_.view(range_, word_log2, lookup);
  }

 private:
  static Side from_byte(Side side, std::int64_t begin) {
    side.address = displaced(side.address, begin);
    return side;
  }

  ByteRange range_;
  Operand operand_;
};

/// False if the table has no room for all of it.
bool add(LongCopies& table, const CopyMember& member, ByteRange range, const Device& device) {
  const RangeSide to(member.destination, range, device);
  const RangeSide from(member.source, range, device);
  return table.add(across_holes(ViewedCopy(to, from, range.end - range.begin)), member.destination_moves,
                   member.source_moves);
}

Tables tables_of(const std::vector<CopyMember>& members, const Device& device) {
  Tables tables;
  std::int64_t room = 0;  // bytes that the last table still takes: tiles are counted by 32 bits
  const auto long_ones =
      std::ranges::count_if(members, [](const CopyMember& member) { return member.bytes > slice; });
  const std::int64_t longest = std::ranges::max(members, {}, &CopyMember::bytes).bytes;
  const std::int64_t piece = long_ones > 1 ? slice : launch_limit;
  for (std::int64_t begin = 0; begin < longest; begin += piece) {
    for (const CopyMember& member : members) {
      if (begin >= member.bytes) continue;
      const ByteRange range{begin, std::min(begin + piece, member.bytes)};
      const std::int64_t bytes = range.end - range.begin;
      if (room < bytes || !add(*tables.back(), member, range, device)) {
        tables.push_back(std::make_unique<LongCopies>());
        room = launch_limit;
        add(*tables.back(), member, range, device);
      }
      room -= bytes;
    }
  }
  return tables;
}

/// Copies as tables in memory of a device, one for each launch.
class UploadedCopies {
 public:
  /// Waits until they are there. Throws GpuError.
  UploadedCopies(const std::vector<CopyMember>& members, Device& device);

  const std::vector<CopiesInDevice>& launches() const noexcept { return launches_; }

 private:
  std::list<DeviceMemory> memory_;
  std::vector<CopiesInDevice> launches_;
};

UploadedCopies::UploadedCopies(const std::vector<CopyMember>& members, Device& device) {
  const Tables tables = tables_of(members, device);
  static constexpr std::uint64_t none_ended = 0;
  std::vector<Upload> parts;
  for (const auto& table : tables) {
    constexpr std::size_t counter = sizeof none_ended;  // before the table, which it aligns
    std::byte* const place =
        memory_.emplace_back(device, static_cast<std::int64_t>(counter + sizeof(LongCopies))).data();
    parts.push_back({place, &none_ended, counter});
    parts.push_back({place + counter, table.get(), sizeof(LongCopies)});
    launches_.push_back({reinterpret_cast<const LongCopies*>(place + counter),
                         reinterpret_cast<std::uint32_t*>(place), table->tiles, table->regular});
  }
  upload(device, parts);
}

/// Most thread blocks of a launch that handles flags itself; it never has more than the device has
/// multiprocessors. Blocks that wait occupy multiprocessors that kernels of other streams may need first to
/// answer a peer. And each block has to make its stores visible, which takes longer than another launch if
/// there are many blocks.
constexpr std::uint32_t signalling_blocks = 64;
/// Tiles that such a block moves one after the other, at most: beyond that, two launches cost less than what
/// more blocks gain (docs/internals/decisions/015-one-launch-a-start.md).
constexpr std::uint32_t tiles_in_turn = 4;

struct FlaggedLaunch {
  FlagTable flags = {};
  CopiesInDevice copies = {};
};
using Launches = std::vector<FlaggedLaunch>;
using Flags = std::vector<Flag*>;

/// As many as there is room for.
int put(FlagTable& table, std::span<Flag* const> flags) {
  const auto count = std::min(flags.size(), static_cast<std::size_t>(FlagTable::room - table.used));
  std::ranges::copy(flags.first(count), table.flags + table.used);
  table.used += static_cast<int>(count);
  return static_cast<int>(count);
}

/// If there is room for all of them.
bool put(FlagTable& table, FlagGroup FlagTable::* group, const FlagSteps& steps) {
  const std::size_t flags = steps.raised.size() + steps.awaited.size();
  if (flags > static_cast<std::size_t>(FlagTable::room - table.used)) return false;
  FlagGroup& made = table.*group;
  made.first = table.used;
  made.raised = put(table, steps.raised);
  made.awaited = put(table, steps.awaited);
  return true;
}

/// Launches that move nothing, for any number of flags.
Launches launches_of(const FlagSteps& steps) {
  Launches launches;
  std::span<Flag* const> raised = steps.raised, awaited = steps.awaited;
  while (!raised.empty() || !awaited.empty()) {
    FlagTable& table = launches.emplace_back().flags;
    const auto take = [&](std::span<Flag* const>& flags) {
      const int taken = put(table, flags);
      flags = flags.subspan(static_cast<std::size_t>(taken));
      return taken;
    };
    table.after.raised = take(raised);
    table.after.awaited = take(awaited);
  }
  return launches;
}

}  // namespace

struct SignalledCopies::State {
  State(int on, const SignalledSteps& steps, FlagWait wait);

  void launch(const Launches& launches, Stream stream, std::uint64_t number,
              const AddressOffsets& moves) const;
  /// By operations of the stream.
  void await(const Flags& flags, Stream stream, std::uint64_t number) const;

  int device;
  std::optional<UploadedCopies> copies;
  Launches first, rest;       ///< before what operations of the stream await before, and behind it
  SignalledSteps operations;  ///< of the stream's; no copies, and nothing is raised
};

SignalledCopies::State::State(int on, const SignalledSteps& steps, FlagWait wait) : device(on) {
  Device& home = gpu::device(device);
  const DeviceGuard guard(device);
  home.prepare();
  FlagSteps before = steps.before, after = steps.after;
  std::uint64_t* count = steps.count;
  operations.waiting = steps.waiting;
  if (wait == FlagWait::memory_operation) {
    operations.before.awaited = std::exchange(before.awaited, {});
    operations.after.awaited = std::exchange(after.awaited, {});
    operations.count = std::exchange(count, nullptr);
  }
  if (!steps.copies.empty()) {
    copies.emplace(steps.copies, home);
    for (const CopiesInDevice& each : copies->launches()) rest.push_back({.copies = each});
  } else {
    rest.emplace_back();
  }
  const std::uint32_t most = std::min(signalling_blocks, static_cast<std::uint32_t>(home.multiprocessors()));
  const auto takes_flags = [&](const FlaggedLaunch& launch) {
    return launch.copies.blocks <= most * tiles_in_turn;
  };
  const auto fits = [&](FlaggedLaunch& launch, FlagGroup FlagTable::* group, const FlagSteps& flags) {
    return takes_flags(launch) && put(launch.flags, group, flags);
  };
  if (!operations.before.awaited.empty() || !fits(rest.front(), &FlagTable::before, before)) {
    first = launches_of(before);
  }
  if (!fits(rest.back(), &FlagTable::after, after)) {
    std::ranges::move(launches_of(after), std::back_inserter(rest));
  }
  if (count != nullptr && !takes_flags(rest.back())) rest.emplace_back();
  rest.back().flags.count = count;
  for (Launches* const each : {&first, &rest}) {
    for (FlaggedLaunch& launch : *each) {
      const bool flagged = launch.flags.used > 0 || launch.flags.count != nullptr;
      if (flagged) launch.copies.blocks = std::min(launch.copies.blocks, most);
      launch.flags.gate = steps.gate;
      launch.flags.waiting = steps.waiting;
    }
  }
}

void SignalledCopies::State::launch(const Launches& launches, Stream stream, std::uint64_t number,
                                    const AddressOffsets& moves) const {
  for (const FlaggedLaunch& each : launches) {
    const bool nothing = each.flags.used == 0 && each.flags.count == nullptr && each.copies.table == nullptr;
    if (!nothing) launch_signalled(each.flags, number, each.copies, moves, {device, stream});
  }
}

void SignalledCopies::State::await(const Flags& flags, Stream stream, std::uint64_t number) const {
  StreamOperations todo(stream);
  const bool tells = !flags.empty() && operations.waiting != nullptr;
  if (tells) todo.store(operations.waiting, raised);
  for (Flag* const flag : flags) {
    todo.await(flag);
    todo.store(flag, lowered);
  }
  if (tells) todo.store(operations.waiting, lowered);
  if (operations.count != nullptr && number != uncounted) todo.store(operations.count, number);
  todo.flush();
}

SignalledCopies::SignalledCopies(int device, const SignalledSteps& steps, FlagWait wait) {
  if (wait == FlagWait::memory_operation) require_stream_operations();
  state_ = std::make_unique<State>(device, steps, wait);
}

SignalledCopies::~SignalledCopies() = default;

void SignalledCopies::enqueue(Stream stream, std::uint64_t number, const AddressOffsets& moves) const {
  const DeviceGuard guard(state_->device);
  state_->launch(state_->first, stream, uncounted, {});
  state_->await(state_->operations.before.awaited, stream, uncounted);
  state_->launch(state_->rest, stream, number, moves);
  state_->await(state_->operations.after.awaited, stream, number);
}

}  // namespace typewarp::gpu
