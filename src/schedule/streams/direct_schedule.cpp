// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/direct_schedule.hpp"

#include "schedule/streams/connections.hpp"
#include "schedule/streams/parts.hpp"
#include "schedule/streams/stream_work.hpp"

#include <optional>
#include <utility>

namespace typewarp::exchange {
namespace {

bool are_direct(const Connections& connections) noexcept {
  return connections.sent.parts.empty() && connections.received.parts.empty() && !connections.shares_device;
}

}  // namespace

/// The second goes first, as it needs the other.
struct DirectSchedule::State {
  Connections connections;
  std::optional<StreamWork> work;  ///< nothing: the rank has no parts
};

DirectSchedule::DirectSchedule(int device, std::int64_t bytes, std::unique_ptr<State> state) noexcept
    : device_(device), bytes_(bytes), state_(std::move(state)) {}
DirectSchedule::~DirectSchedule() = default;

std::unique_ptr<DirectSchedule> DirectSchedule::of(ExchangeGroup& group, std::span<const OutgoingPart> sends,
                                                   std::span<const IncomingPart> receives) {
  Schedule parts;
  together(group, [&] { parts = checked(sends, receives, group); });
  Connections connections = connected(group, parts);
  if (!in_all(group, are_direct(connections))) return nullptr;
  std::unique_ptr<DirectSchedule> made;
  together(group, [&] {
    auto state = std::make_unique<State>(std::move(connections));
    if (parts.device >= 0)
      state->work.emplace(state->connections, nullptr, parts.device, gpu::FlagWait::kernel);
    std::int64_t bytes = 0;
    for (const Part& part : parts.receives) bytes += part.bytes;
    made.reset(new DirectSchedule(parts.device, bytes, std::move(state)));
  });
  return made;
}

void DirectSchedule::start(Stream stream) {
  if (state_->work) state_->work->enqueue(stream, {});
}

bool DirectSchedule::done() const noexcept { return !state_->work || state_->work->done(); }

void DirectSchedule::check_device() const {
  if (state_->work) state_->work->check_device();
}

void DirectSchedule::release() {
  if (state_->work) state_->work->release();
}

void DirectSchedule::abandon() noexcept {
  if (!state_->work) return;
  state_->work->abandon();
  state_->connections.abandon();
}

}  // namespace typewarp::exchange
