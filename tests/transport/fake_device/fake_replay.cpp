// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Work of the fake device that is recorded once and launched many times.

#include "transport/fake_device/fake_moves.hpp"

#include <typewarp/error.hpp>

namespace typewarp::gpu {
namespace {

test::Moves recorded(const Enqueue& enqueue) {
  test::Recording recording;
  enqueue({0});
  return recording.moves;
}

[[noreturn]] void refuse(const char* call) { throw GpuError(call, 719, "not faked"); }

}  // namespace

struct Replay::State {
  test::Moves moves;
};

Replay::Replay(int, const Enqueue& enqueue, Follow) : state_(std::make_unique<State>(recorded(enqueue))) {}

Replay::~Replay() = default;

void Replay::replace(const Enqueue& enqueue) { state_->moves = recorded(enqueue); }

void Replay::launch(Stream stream, Priority) { test::enqueue(state_->moves, stream); }

bool Replay::done() { refuse("Replay::done"); }

void Replay::wait() { refuse("Replay::wait"); }

}  // namespace typewarp::gpu
