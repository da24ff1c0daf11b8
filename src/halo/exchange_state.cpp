// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/exchange_state.hpp"

#include "halo/agreement.hpp"

#include <typewarp/completion.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace typewarp::halo {

/// Calls `step`, which gives a stream something to do, and follows that, also where it throws.
template <typename Step>
void Exchange::State::enqueue(Stream of_caller, Step step) {
  try {
    step();
  } catch (...) {
    follow(of_caller);
    throw;
  }
  follow(of_caller);
}

Exchange::State::State(const ProcessGrid& grid, std::vector<Field> described, const Options& options)
    : fields(std::move(described)), asked(options), setup(grid, fields, options) {
  together(setup.comm->get(), [&] { use(fields, width); });
}

Exchange::State::~State() {
  requests.clear();
  transport::ended(enqueued, true);  // a destructor has nobody to tell of what failed
}

void Exchange::State::use(std::span<const Field> others, std::int64_t other_width) {
  if (!bindings.bind(addresses(others), other_width)) {
    setup.check_bound(others);
    Binding made = prepared(setup, others, other_width);
    if (bindings.full()) {
      transport::reached(enqueued, true);
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
  throw InvalidArgument(
      "typewarp::halo::Exchange::" + std::string(function), "stream", "one that is captured",
      "must not be captured into a graph, of which what passes through the host is no part");
}

void Exchange::State::settle(Stream of_caller, bool by_host) const {
  if (by_host) gpu::Event(device_of(of_caller), of_caller).wait();
}

void Exchange::State::follow(Stream of_caller) {
  if (setup.device >= 0) enqueued.emplace(device_of(of_caller), of_caller);
}

int Exchange::State::device_of(Stream of_caller) const {
  const int device = gpu::stream_device(of_caller);
  return device >= 0 ? device : setup.device;
}

Stream Exchange::State::stream_beside(Stream of_caller) {
  if (setup.device < 0) return of_caller;
  if (!own_stream) own_stream.emplace(setup.device);
  gpu::Event(device_of(of_caller), of_caller).hold(own_stream->get());
  return own_stream->get();
}

void Exchange::State::rejoin(Stream of_caller) const {
  if (own_stream) gpu::Event(setup.device, own_stream->get()).hold(of_caller);
}

// Later stages need not wait for the caller: from the first pack() on nothing of his that is enqueued may use
// what they move.
void Exchange::State::begin(Stream of_caller, bool to_start) {
  settle(of_caller, std::ranges::any_of(bound().stages, &Prepared::moves_pinned_on_host));
  stage = 0;
  packed = false;
  stream = of_caller;
  Prepared& first = bound().stages.front();
  const bool orders = to_start && !setup.packs() && !setup.options.poison;  // poison comes before messages
  if (orders) first.order(of_caller);
  pack_next(true);
  ordered = orders;
  phase = Phase::starting;
}

void Exchange::State::start(Stream of_caller) {
  stream = of_caller;
  stage = 0;
  packed = true;
  sent = false;
  poison();
  if (bound().stages.front().starts_late()) follow(of_caller);  // a graph may have packed
  phase = Phase::waiting;
  guard(setup.buffer, [&] { send(true); });
}

// What the host packs goes to the buffer at once, from which kernels may still unpack what came before.
bool Exchange::State::pack_next(bool block) {
  if (packed) return true;
  Prepared& now = bound().stages[stage];
  if (now.moves_on_host() && !transport::reached(enqueued, block)) return false;
  enqueue(stream, [&] { now.pack(stream); });
  return packed = true;
}

void Exchange::State::unpack(Stream of_caller) {
  enqueue(of_caller, [&] { bound().stages[stage].unpack(of_caller); });
}

void Exchange::State::poison() {
  if (!setup.options.poison) return;
  enqueue(stream, [&] {
    for (Prepared& prepared : bound().stages) prepared.poison(stream);
  });
}

bool Exchange::State::send(bool block) {
  if (sent) return true;
  Prepared& now = bound().stages[stage];
  if (now.starts_late() && !transport::reached(enqueued, block)) return false;
  if (!std::exchange(ordered, false)) now.order(stream);
  now.start(requests);
  return sent = true;
}

bool Exchange::State::advance(bool block) {
  if (!pack_next(block) || !send(block)) return false;
  if (!block && !std::ranges::all_of(requests, &Request::ready)) return false;
  wait_all(requests);
  requests.clear();
  if (stage + 1 == bound().stages.size()) {
    phase = Phase::unpacking;
    return true;
  }
  unpack(stream);
  ++stage;
  packed = sent = false;
  return pack_next(block) && send(block);
}

void Exchange::State::accumulate(Accumulation& accumulation, Operation operation, Stream of_caller) {
  accumulation.check(operation);
  settle(of_caller, setup.has(MemoryKind::pinned));
  enqueue(of_caller, [&] { accumulation.pack(of_caller); });
  guard(accumulation.buffer(), [&] {
    if (accumulation.starts_late()) transport::reached(enqueued, true);
    accumulation.start(of_caller, requests);
    wait_all(requests);
    requests.clear();
  });
  enqueue(of_caller, [&] { accumulation.combine(operation, of_caller); });
}

}  // namespace typewarp::halo
