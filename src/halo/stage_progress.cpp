// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/stage_progress.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::halo {

/// Calls `step` unless something has failed. False if it would have had to wait.
template <typename Do>
bool StageProgress::attempt(Do step) {
  try {
    return failure_ != nullptr || step();
  } catch (...) {
    failure_ = std::current_exception();
    return true;
  }
}

// Later stages need not wait for the caller: from the first packing on nothing of his that is enqueued may
// use what they move.
void StageProgress::begin(std::span<Prepared> stages, Stream stream) {
  stages_ = stages;
  stream_ = stream;
  stage_ = 0;
  if (std::ranges::any_of(stages, &Prepared::moves_pinned_on_host)) order_.settle(stream);
}

void StageProgress::pack(std::span<Prepared> stages, Stream stream) {
  begin(stages, stream);
  pack_now(true);
}

void StageProgress::pack_to_start(std::span<Prepared> stages, Stream stream) {
  attempt([&] {
    begin(stages, stream);
    if (stages.front().sends_in_place()) {
      stages.front().order(stream);
      has_order_ = true;
    }
    return pack_now(true);
  });
}

void StageProgress::start(std::span<Prepared> stages, Stream stream) {
  stages_ = stages;
  stream_ = stream;
  stage_ = 0;
  attempt([&] {
    if (stages.front().poisons()) {
      order_.enqueue(stream, [&] {
        for (Prepared& prepared : stages) prepared.poison(stream);
      });
    }
    if (stages.front().starts_late()) order_.follow(stream);  // a graph may have packed
    return true;
  });
  next_ = Step::send;
  do_step(true);
}

bool StageProgress::advance(bool block) {
  while (stage_ < stages_.size()) {
    if (!do_step(block)) return false;
  }
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

bool StageProgress::do_step(bool block) {
  switch (next_) {
    case Step::pack:
      if (!attempt([&] { return pack_now(block); })) return false;
      next_ = Step::send;
      return true;
    case Step::send:
      if (!attempt([&] { return send_now(block); })) return false;
      if (failure_) stages_[stage_].start_failed(requests_);
      next_ = Step::receive;
      return true;
    case Step::receive:
      break;
  }
  return receive_now(block);
}

// What the host packs goes to the buffer at once, from which kernels may still unpack what came before.
bool StageProgress::pack_now(bool block) {
  Prepared& now = stages_[stage_];
  if (now.moves_on_host() && !order_.reached(block)) return false;
  order_.enqueue(stream_, [&] { now.pack(stream_); });
  return true;
}

bool StageProgress::send_now(bool block) {
  Prepared& now = stages_[stage_];
  if (now.starts_late() && !order_.reached(block)) return false;
  if (!std::exchange(has_order_, false)) now.order(stream_);
  now.start(requests_);
  return true;
}

bool StageProgress::receive_now(bool block) {
  if (!block && !std::ranges::all_of(requests_, &Request::ready)) return false;
  Prepared& now = stages_[stage_];
  // Also where something has failed before: all messages come to their end.
  try {
    now.finish(requests_);
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  requests_.clear();
  next_ = Step::pack;
  if (++stage_ == stages_.size()) return true;
  return attempt([&] {
    order_.enqueue(stream_, [&] { now.unpack(stream_); });
    return true;
  });
}

}  // namespace typewarp::halo
