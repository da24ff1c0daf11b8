// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo.hpp>

#include "base/environment.hpp"
#include "halo/agreement.hpp"
#include "halo/bindings.hpp"
#include "halo/tuning.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace typewarp::halo {
namespace {

using schedule::MessageMemory;
using schedule::MessageStep;

constexpr const char* exchange_call = "typewarp::halo::Exchange";

std::string method(const char* name) { return std::string(exchange_call) + "::" + name; }

bool is_captured(Stream stream) { return gpu_present() && gpu::capturing(stream); }

void refuse_captured(Stream stream, const char* function) {
  if (!is_captured(stream)) return;
  throw InvalidArgument(method(function), "stream", "one that is captured",
                        "must not be captured: a graph holds no messages");
}

bool poison_is_asked_for() {
  return environment::word(exchange_call, "TYPEWARP_HALO_POISON").value_or(0) != 0;
}

std::vector<void*> addresses(std::span<const Field> fields) {
  std::vector<void*> data;
  for (const Field& field : fields) data.push_back(field.data());
  return data;
}

}  // namespace

std::string_view name(Packing packing) noexcept {
  constexpr std::array<std::string_view, 3> names{"automatic", "manual", "datatype"};
  return names[static_cast<std::size_t>(packing)];
}

/// What an exchange is made of, and which call comes next.
struct Exchange::State {
  /// Nothing comes after messages have failed, since neighbours may be an exchange further.
  enum class Phase : std::uint8_t { packing, starting, waiting, unpacking, failed };

  State(const ProcessGrid& of, std::vector<Field> described, const Options& options);

  Binding& bound() { return bindings.bound(); }
  MessageStep& step() { return *bound().step; }
  void use(std::span<const Field> others, std::int64_t other_width);
  /// Whether no exchange is under way.
  bool idle() { return phase == Phase::packing || (phase == Phase::unpacking && bound().unpacked_by_graph); }
  /// Whether its messages are under way or have come.
  bool is_started() const noexcept { return phase == Phase::waiting || phase == Phase::unpacking; }
  void require(bool in_order, const char* function) const;
  /// For a stream that is captured.
  void check_capture(const char* function);
  void start(Stream stream);
  /// Packs, too, in one call, for which neighbours are waiting: what fails is thrown by advance().
  void pack_and_start(Stream stream);
  /// Whether all data has come; `block` waits for it.
  bool advance(bool block);
  void unpack(Stream stream);
  void accumulate(Accumulation& accumulation, Operation operation, Stream stream);
  /// Of fields that are where those are that this was made with.
  schedule::Schedule schedule(std::span<const Field> described, const Transfers& moved) const {
    return schedule_of(described, moved, grid.rank(), memory);
  }

  ProcessGrid grid;  ///< with a communicator of the exchange's own
  std::vector<Field> fields;
  Options asked;
  Transfers transfers;              ///< of full width
  std::vector<PointerInfo> memory;  ///< of each field
  std::int64_t width = full_width;
  std::optional<MessageMemory> buffers;
  Bindings bindings;
  std::optional<schedule::StreamOrder> order;
  Phase phase = Phase::packing;

 private:
  void bind_new(std::span<const Field> others, std::int64_t other_width);
  void check_memory(std::span<const Field> others) const;
  template <typename Call>
  void guard(MessageStep& messages, MessageMemory& of_messages, Call call);
};

Exchange::State::State(const ProcessGrid& of, std::vector<Field> described, const Options& options)
    : grid(of.comm()), fields(std::move(described)), asked(options) {
  bool poison = false;
  together(grid.comm(), [&] { poison = asked.poison || poison_is_asked_for(); });
  transfers = agreed_transfers(grid, fields, asked.sides);
  together(grid.comm(), [&] {
    memory = memory_of(fields);
    const schedule::Schedule whole = schedule(fields, transfers);
    // One datatype cannot reach into memory of several kinds, which different engines move.
    const bool mixed =
        !std::ranges::all_of(memory, [&](const PointerInfo& info) { return is_same(info, memory.front()); });
    const bool packs = mixed || asked.packing == Packing::manual ||
                       (asked.packing == Packing::automatic && !suits_in_place(whole, grid.comm()));
    MessageMemory::Choices choices{.packs = packs, .overwrites = poison};
    if (asked.buffers != Buffers::automatic) choices.on_device = asked.buffers == Buffers::device;
    buffers.emplace(grid.comm(), whole, choices);
    order.emplace(whole.device);
    bindings.add({addresses(fields), full_width,
                  std::make_unique<MessageStep>(exchange_call, *buffers, *order, whole), nullptr});
  });
}

void Exchange::State::use(std::span<const Field> others, std::int64_t other_width) {
  if (!bindings.bind(addresses(others), other_width)) bind_new(others, other_width);
  phase = Phase::packing;  // what a graph was to unpack is of other memory now
}

void Exchange::State::bind_new(std::span<const Field> others, std::int64_t other_width) {
  check_memory(others);
  Transfers narrowed = transfers_of(grid, others, asked.sides, other_width);
  for (std::size_t t = 0; t < narrowed.size(); ++t) narrowed[t].received_order = transfers[t].received_order;
  auto made = std::make_unique<MessageStep>(exchange_call, *buffers, *order, schedule(others, narrowed));
  if (bindings.full()) {
    order->reached(true);
    bindings.drop();
  }
  bindings.add({addresses(others), other_width, std::move(made), nullptr});
}

void Exchange::State::check_memory(std::span<const Field> others) const {
  const std::vector<PointerInfo> found = memory_of(others);
  for (std::size_t f = 0; f < found.size(); ++f) {
    if (is_same(found[f], memory[f])) continue;
    throw InvalidArgument(method("bind"), "data[" + std::to_string(f) + "]",
                          std::string(typewarp::name(found[f].kind)) + " memory",
                          "must be memory of the kind and device that the exchange was made with, " +
                              std::string(typewarp::name(memory[f].kind)));
  }
}

void Exchange::State::require(bool in_order, const char* function) const {
  const std::string call = method(function);
  if (phase == Phase::failed) {
    throw Error(call + ": messages of this exchange have failed before, so it cannot be used any more");
  }
  if (in_order) return;
  constexpr std::array next{"pack()", "start_exchange()", "wait()", "unpack()"};
  throw Error(call + ": the next call must be " + next[static_cast<std::size_t>(phase)]);
}

void Exchange::State::check_capture(const char* function) {
  require(true, function);
  if (step().can_be_captured()) return;
  throw InvalidArgument(method(function), "stream", "one that is captured",
                        "must not be captured: a graph holds nothing that the host moves");
}

void Exchange::State::start(Stream stream) {
  phase = Phase::waiting;
  guard(step(), *buffers, [&] { step().start(stream); });
}

void Exchange::State::pack_and_start(Stream stream) {
  step().pack_to_start(stream);
  start(stream);
}

bool Exchange::State::advance(bool block) {
  if (phase != Phase::waiting) return true;
  guard(step(), *buffers, [&] {
    if (step().advance(block)) phase = Phase::unpacking;
  });
  return phase == Phase::unpacking;
}

void Exchange::State::unpack(Stream stream) {
  phase = Phase::packing;  // also where it throws: all that was sent has come
  step().unpack(stream);
}

void Exchange::State::accumulate(Accumulation& accumulation, Operation operation, Stream stream) {
  accumulation.check(operation);
  MessageStep& messages = accumulation.messages();
  guard(messages, accumulation.memory(), [&] {
    messages.pack_to_start(stream);
    messages.start(stream);
    messages.advance(true);
  });
  order->enqueue(stream, [&] { accumulation.combine(operation, stream); });
}

/// Calls `call`, which sends and receives. Where that throws, what is left of messages may still use their
/// memory, and others may have got this exchange's or not: nothing goes on from there.
template <typename Call>
void Exchange::State::guard(MessageStep& messages, MessageMemory& of_messages, Call call) {
  try {
    call();
  } catch (...) {
    phase = Phase::failed;
    messages.give_up();
    of_messages.messages.abandon();
    throw;
  }
}

Exchange::Exchange(const ProcessGrid& grid, std::vector<Field> fields, const Options& options)
    : state_(std::make_unique<State>(grid, std::move(fields), options)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

void Exchange::bind(std::span<void* const> data) {
  const std::string call = method("bind");
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
    throw InvalidArgument(method("set_width"), "width", width, "must not be negative");
  }
  state_->require(state_->idle(), "set_width");
  state_->use(state_->fields, width);
  state_->width = width;
}

void Exchange::pack(Stream stream) {
  if (is_captured(stream)) {
    state_->check_capture("pack");
    state_->step().capture_packing(stream);
    state_->bound().packed_by_graph = true;
    return;
  }
  state_->require(state_->idle(), "pack");
  state_->step().pack(stream);
  state_->phase = State::Phase::starting;
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
    state_->check_capture("unpack");
    state_->step().capture_unpacking(stream);
    state_->bound().unpacked_by_graph = true;
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
  const Stream own = state_->order->beside(stream);
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
    if (!state_->step().failed()) attempt(work);
    state_->advance(true);
    state_->unpack(own);
  });
  state_->order->rejoin(stream);
  if (failure) std::rethrow_exception(failure);
}

void Exchange::accumulate(Operation operation, Stream stream) {
  state_->require(state_->idle(), "accumulate");
  refuse_captured(stream, "accumulate");
  std::unique_ptr<Accumulation>& accumulation = state_->bound().accumulation;
  if (!accumulation) {
    const State& now = *state_;
    std::unique_ptr<Accumulation> made;
    // Neighbours wait for the messages of a process that has no memory for them.
    together(now.grid.comm(), [&] {
      const Transfers forward = transfers_of(now.grid, now.fields, now.asked.sides, now.width);
      made = std::make_unique<Accumulation>(now.grid, now.fields, now.schedule(now.fields, reversed(forward)),
                                            now.buffers->on_device, *state_->order);
    });
    accumulation = std::move(made);
  }
  state_->accumulate(*accumulation, operation, stream);
}

void Exchange::tune(Stream stream) {
  const State& now = *state_;
  together(now.grid.comm(), [&] {
    state_->require(state_->idle(), "tune");
    refuse_captured(stream, "tune");
    if (!state_->bindings.in_graphs()) return;
    throw Error("typewarp::halo::Exchange::tune: must come before graphs, which use what it gives up");
  });
  const int device = now.buffers->device < 0 ? -1 : now.order->device_of(stream);
  Options asked = now.asked;
  *this = fastest(now.grid, now.fields, asked, now.width, by_clock(now.grid, device, stream));
  state_->asked = std::move(asked);
}

const std::vector<Field>& Exchange::fields() const noexcept { return state_->fields; }
Packing Exchange::packing() const noexcept {
  return state_->buffers->packs ? Packing::manual : Packing::datatype;
}
Messages Exchange::messages() const noexcept { return Messages::together; }
Buffers Exchange::buffers() const noexcept {
  return state_->buffers->on_device ? Buffers::device : Buffers::pinned;
}

std::int64_t Exchange::bytes_sent() const noexcept { return state_->step().bytes_sent(); }
std::int64_t Exchange::messages_sent() const noexcept { return state_->step().messages_sent(); }

}  // namespace typewarp::halo
