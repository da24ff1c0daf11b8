// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/exchange_state.hpp"

#include "halo/agreement.hpp"

#include <array>
#include <string>
#include <utility>

namespace typewarp::halo {

Exchange::State::State(const ProcessGrid& grid, std::vector<Field> described, const Options& options)
    : fields(std::move(described)),
      asked(options),
      setup(grid, fields, options),
      order(setup.device),
      progress(order) {
  together(setup.grid.comm(), [&] { use(fields, width); });
}

void Exchange::State::use(std::span<const Field> others, std::int64_t other_width) {
  if (!bindings.bind(addresses(others), other_width)) {
    setup.check_bound(others);
    Binding made = prepared(setup, others, other_width);
    if (bindings.full()) {
      order.reached(true);
      bindings.drop();
    }
    bindings.add(std::move(made));
  }
  phase = Phase::packing;  // what a graph was to unpack is of other memory now
}

void Exchange::State::require(bool in_order, const char* function) const {
  const std::string call = "typewarp::halo::Exchange::" + std::string(function);
  if (phase == Phase::failed) {
    throw Error(call + ": messages of this exchange have failed before, so it cannot be used any more");
  }
  if (in_order) return;
  constexpr std::array next{"pack()", "start_exchange()", "wait()", "unpack()"};
  throw Error(call + ": the next call must be " + next[static_cast<std::size_t>(phase)]);
}

void Exchange::State::check_capture(bool possible, const char* function) const {
  require(true, function);
  if (possible) return;
  throw InvalidArgument("typewarp::halo::Exchange::" + std::string(function), "stream",
                        "one that is captured",
                        "must not be captured: a graph holds nothing that the host moves");
}

void Exchange::State::pack(Stream stream) {
  progress.pack(bound().stages, stream);
  phase = Phase::starting;
}

void Exchange::State::start(Stream stream) {
  phase = Phase::waiting;
  guard(setup.buffer, [&] { progress.start(bound().stages, stream); });
}

void Exchange::State::pack_and_start(Stream stream) {
  progress.pack_to_start(bound().stages, stream);
  start(stream);
}

bool Exchange::State::advance(bool block) {
  if (phase != Phase::waiting) return true;
  guard(setup.buffer, [&] {
    if (progress.advance(block)) phase = Phase::unpacking;
  });
  return phase == Phase::unpacking;
}

void Exchange::State::unpack(Stream stream) {
  phase = Phase::packing;  // also where it throws: all that was sent has come
  order.enqueue(stream, [&] { bound().stages.back().unpack(stream); });
}

void Exchange::State::accumulate(Accumulation& accumulation, Operation operation, Stream stream) {
  accumulation.check(operation);
  guard(accumulation.buffer(), [&] {
    StageProgress messages(order);
    messages.pack_to_start(accumulation.messages(), stream);
    messages.start(accumulation.messages(), stream);
    messages.advance(true);
  });
  order.enqueue(stream, [&] { accumulation.combine(operation, stream); });
}

/// Calls `step`, which sends and receives. Where that throws, what is left of messages may still use the
/// buffer, and others may have got this exchange's or not: nothing goes on from there.
template <typename Step>
void Exchange::State::guard(Buffer& of_messages, Step step) {
  try {
    step();
  } catch (...) {
    phase = Phase::failed;
    progress.give_up();
    of_messages.abandon();
    throw;
  }
}

}  // namespace typewarp::halo
