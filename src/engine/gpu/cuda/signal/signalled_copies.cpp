// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/signalled_copies.hpp"

#include "engine/gpu/cuda/signal/stream_operations.hpp"
#include "engine/gpu/cuda/signal/uploaded_copies.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace typewarp::gpu {
namespace {

/// Thread blocks of a launch that may all wait at the same time: each keeps a place on a multiprocessor from
/// kernels of other streams, by which a peer may first have to be answered.
constexpr std::uint32_t waiting_blocks = 64;

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
bool put(FlagTable& table, FlagGroup FlagTable::* group, const FlagSteps& steps, const Flags& lowered) {
  const std::size_t flags = steps.raised.size() + steps.awaited.size() + lowered.size();
  if (flags > static_cast<std::size_t>(FlagTable::room - table.used)) return false;
  FlagGroup& made = table.*group;
  made.first = table.used;
  made.raised = put(table, steps.raised);
  made.awaited = put(table, steps.awaited);
  table.lowered = put(table, lowered);
  return true;
}

/// Launches that move nothing, for any number of flags.
Launches launches_of(const FlagSteps& steps, const Flags& lowered) {
  Launches launches;
  std::span<Flag* const> raised = steps.raised, awaited = steps.awaited, low = lowered;
  while (!raised.empty() || !awaited.empty() || !low.empty()) {
    FlagTable& table = launches.emplace_back().flags;
    const auto take = [&](std::span<Flag* const>& flags) {
      const int taken = put(table, flags);
      flags = flags.subspan(static_cast<std::size_t>(taken));
      return taken;
    };
    table.after.raised = take(raised);
    table.after.awaited = take(awaited);
    table.lowered = take(low);
  }
  return launches;
}

}  // namespace

struct SignalledCopies::State {
  State(int on, const SignalledSteps& steps, FlagWait wait);

  void launch(const Launches& launches, Stream stream, std::uint64_t number) const;
  void await_before(Stream stream) const;
  void await_after(Stream stream, std::uint64_t number) const;

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
  Flags lowered = steps.lowered;
  std::uint64_t* count = steps.count;
  if (wait == FlagWait::memory_operation) {
    operations.before.awaited = std::exchange(before.awaited, {});
    operations.after.awaited = std::exchange(after.awaited, {});
    operations.lowered = std::exchange(lowered, {});
    operations.count = std::exchange(count, nullptr);
  }
  if (!steps.copies.empty()) {
    copies.emplace(steps.copies, home);
    for (const CopiesInDevice& each : copies->launches()) rest.push_back({.copies = each});
  } else {
    rest.emplace_back();
  }
  const bool many = !before.awaited.empty() && rest.front().copies.tiles > waiting_blocks;
  if (many || !operations.before.awaited.empty() ||
      !put(rest.front().flags, &FlagTable::before, before, {})) {
    first = launches_of(before, {});
  }
  if (!put(rest.back().flags, &FlagTable::after, after, lowered)) {
    std::ranges::move(launches_of(after, lowered), std::back_inserter(rest));
  }
  rest.back().flags.count = count;
  for (Launches* const each : {&first, &rest}) {
    for (FlaggedLaunch& launch : *each) launch.flags.gate = steps.gate;
  }
}

void SignalledCopies::State::launch(const Launches& launches, Stream stream, std::uint64_t number) const {
  for (const FlaggedLaunch& each : launches) {
    const bool nothing = each.flags.used == 0 && each.flags.count == nullptr && each.copies.table == nullptr;
    if (!nothing) launch_signalled(each.flags, number, each.copies, {device, stream});
  }
}

void SignalledCopies::State::await_before(Stream stream) const {
  StreamOperations todo(stream);
  for (Flag* const flag : operations.before.awaited) {
    todo.await(flag);
    todo.store(flag, 0);
  }
  todo.flush();
}

void SignalledCopies::State::await_after(Stream stream, std::uint64_t number) const {
  StreamOperations todo(stream);
  for (Flag* const flag : operations.after.awaited) {
    todo.await(flag);
    todo.store(flag, 0);
  }
  for (Flag* const flag : operations.lowered) todo.store(flag, 0);
  if (operations.count != nullptr && number != uncounted) todo.store(operations.count, number);
  todo.flush();
}

SignalledCopies::SignalledCopies(int device, const SignalledSteps& steps, FlagWait wait) {
  if (wait == FlagWait::memory_operation && !has_stream_operations()) {
    throw GpuError("cuStreamBatchMemOp", CUDA_ERROR_NOT_SUPPORTED, "the driver does not have it");
  }
  state_ = std::make_unique<State>(device, steps, wait);
}

SignalledCopies::~SignalledCopies() = default;

void SignalledCopies::enqueue(Stream stream, std::uint64_t number) const {
  const DeviceGuard guard(state_->device);
  state_->launch(state_->first, stream, uncounted);
  state_->await_before(stream);
  state_->launch(state_->rest, stream, number);
  state_->await_after(stream, number);
}

}  // namespace typewarp::gpu
