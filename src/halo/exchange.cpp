// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agreement.hpp"
#include "halo/exchange_state.hpp"
#include "halo/tuning.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace typewarp::halo {
namespace {

bool is_captured(Stream stream) { return gpu_present() && gpu::capturing(stream); }

void refuse_captured(Stream stream, const char* function) {
  if (!is_captured(stream)) return;
  throw InvalidArgument("typewarp::halo::Exchange::" + std::string(function), "stream",
                        "one that is captured", "must not be captured: a graph holds no messages");
}

}  // namespace

Exchange::Exchange(const ProcessGrid& grid, std::vector<Field> fields, const Options& options)
    : state_(std::make_unique<State>(grid, std::move(fields), options)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

void Exchange::bind(std::span<void* const> data) {
  constexpr std::string_view call = "typewarp::halo::Exchange::bind";
  state_->require(state_->idle(), "bind");
  std::vector<Field> fields = state_->fields;
  if (data.size() != fields.size()) {
    throw InvalidArgument(call, "data.size()", static_cast<long long>(data.size()),
                          "must be " + std::to_string(fields.size()) + ", one a field");
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (data[f] == nullptr) {
      throw InvalidArgument(call, "data[" + std::to_string(f) + "]", "null", "must not be null");
    }
    fields[f].rebind(data[f]);
  }
  state_->use(fields, state_->width);
  state_->fields = std::move(fields);
}

void Exchange::set_width(std::int64_t width) {
  if (width < 0) {
    throw InvalidArgument("typewarp::halo::Exchange::set_width", "width", width, "must not be negative");
  }
  state_->require(state_->idle(), "set_width");
  state_->use(state_->fields, width);
  state_->width = width;
}

void Exchange::pack(Stream stream) {
  if (is_captured(stream)) {
    Binding& bound = state_->bound();
    // Later stages are packed behind no stream, when the data of those before has come.
    state_->check_capture(std::ranges::all_of(bound.stages, &Prepared::can_be_captured), "pack");
    bound.stages.front().pack(stream);
    bound.packed_by_graph = true;
    return;
  }
  state_->require(state_->idle(), "pack");
  state_->pack(stream);
}

void Exchange::start_exchange(Stream stream) {
  const bool packed_by_graph = state_->idle() && state_->bound().packed_by_graph;
  state_->require(packed_by_graph || state_->phase == State::Phase::starting, "start_exchange");
  refuse_captured(stream, "start_exchange");
  state_->start(stream);
}

void Exchange::wait() {
  state_->require(state_->is_started(), "wait");
  state_->advance(true);
}

bool Exchange::ready() {
  state_->require(state_->is_started(), "ready");
  return state_->advance(false);
}

void Exchange::unpack(Stream stream) {
  if (is_captured(stream)) {
    Binding& bound = state_->bound();
    state_->check_capture(bound.stages.back().can_be_captured(), "unpack");
    bound.stages.back().unpack(stream);
    bound.unpacked_by_graph = true;
    return;
  }
  state_->require(state_->phase == State::Phase::unpacking, "unpack");
  state_->unpack(stream);
}

void Exchange::exchange(Stream stream) {
  refuse_captured(stream, "exchange");
  state_->require(state_->idle(), "exchange");
  state_->pack_and_start(stream);
  state_->advance(true);
  state_->unpack(stream);
}

void Exchange::overlap(const std::function<void()>& work, Stream stream) {
  refuse_captured(stream, "overlap");
  state_->require(state_->idle(), "overlap");
  const Stream own = state_->order.beside(stream);
  std::exception_ptr failure;
  const auto attempt = [&](const std::function<void()>& step) {
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  attempt([&] {
    state_->pack_and_start(own);
    if (!state_->progress.failed()) attempt(work);
    state_->advance(true);
    state_->unpack(own);
  });
  state_->order.rejoin(stream);
  if (failure) std::rethrow_exception(failure);
}

void Exchange::accumulate(Operation operation, Stream stream) {
  state_->require(state_->idle(), "accumulate");
  refuse_captured(stream, "accumulate");
  std::unique_ptr<Accumulation>& accumulation = state_->bound().accumulation;
  if (!accumulation) {
    accumulation = std::make_unique<Accumulation>(state_->setup, state_->fields, state_->width);
  }
  state_->accumulate(*accumulation, operation, stream);
}

void Exchange::tune(Stream stream) {
  const State& now = *state_;
  together(now.setup.grid.comm(), [&] {
    state_->require(state_->idle(), "tune");
    refuse_captured(stream, "tune");
    if (!state_->bindings.in_graphs()) return;
    throw Error("typewarp::halo::Exchange::tune: must come before graphs, which use what it gives up");
  });
  const int device = now.setup.device < 0 ? -1 : now.order.device_of(stream);
  Options asked = now.asked;
  *this = fastest(now.setup.grid, now.fields, asked, now.width, by_clock(now.setup.grid, device, stream));
  state_->asked = std::move(asked);
}

const std::vector<Field>& Exchange::fields() const noexcept { return state_->fields; }
Packing Exchange::packing() const noexcept { return state_->setup.options.packing; }
Messages Exchange::messages() const noexcept { return state_->setup.options.messages; }
Buffers Exchange::buffers() const noexcept { return state_->setup.options.buffers; }

std::int64_t Exchange::bytes_sent() const noexcept { return state_->total(&Prepared::bytes_sent); }
std::int64_t Exchange::messages_sent() const noexcept { return state_->total(&Prepared::messages_sent); }

}  // namespace typewarp::halo
