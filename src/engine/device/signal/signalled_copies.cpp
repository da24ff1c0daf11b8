// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/signalled_copies.hpp"

#include "engine/runtime/stream_operations.hpp"
#include "engine/device/signal/uploaded_copies.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace typewarp::gpu {
namespace {

/// Thread blocks of a launch that sees to flags itself, at most, and no more than the device has
/// multiprocessors. Those that wait keep places there from kernels of other streams, by which a peer may
/// first have to be answered; and each has to see that what it stored is visible, which takes longer than
/// another launch if there are many.
constexpr std::uint32_t signalling_blocks = 64;

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

  void launch(const Launches& launches, Stream stream, std::uint64_t number, const Moves& moves) const;
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
  const auto fits = [&](FlaggedLaunch& launch, FlagGroup FlagTable::* group, const FlagSteps& flags) {
    return launch.copies.tiles <= most && put(launch.flags, group, flags);
  };
  if (!operations.before.awaited.empty() || !fits(rest.front(), &FlagTable::before, before)) {
    first = launches_of(before);
  }
  if (!fits(rest.back(), &FlagTable::after, after)) {
    std::ranges::move(launches_of(after), std::back_inserter(rest));
  }
  if (count != nullptr && rest.back().copies.tiles > most) rest.emplace_back();
  rest.back().flags.count = count;
  for (Launches* const each : {&first, &rest}) {
    for (FlaggedLaunch& launch : *each) {
      launch.flags.gate = steps.gate;
      launch.flags.waiting = steps.waiting;
    }
  }
}

void SignalledCopies::State::launch(const Launches& launches, Stream stream, std::uint64_t number,
                                    const Moves& moves) const {
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

void SignalledCopies::enqueue(Stream stream, std::uint64_t number, const Moves& moves) const {
  const DeviceGuard guard(state_->device);
  state_->launch(state_->first, stream, uncounted, {});
  state_->await(state_->operations.before.awaited, stream, uncounted);
  state_->launch(state_->rest, stream, number, moves);
  state_->await(state_->operations.after.awaited, stream, number);
}

}  // namespace typewarp::gpu
