// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agreement.hpp"
#include "halo/bindings.hpp"
#include "halo/tuning.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace typewarp::halo {
namespace {

bool is_captured(Stream stream) { return gpu_present() && cuda::capturing(stream); }

void refuse_captured(Stream stream, const char* function) {
  if (!is_captured(stream)) return;
  throw InvalidArgument("typewarp::halo::Exchange::" + std::string(function), "stream",
                        "one that is captured",
                        "must not be captured into a graph, of which no message is a part");
}

}  // namespace

struct Exchange::State {
  /// What comes next; nothing after messages have failed, since neighbours may be an exchange further.
  enum class Phase : std::uint8_t { packing, starting, waiting, unpacking, failed };

  State(const ProcessGrid& grid, std::vector<Field> described, const Options& options);
  ~State();

  Binding& bound() { return bindings.bound(); }
  template <typename Count>
  std::int64_t total(Count count) {
    std::int64_t result = 0;
    for (const Prepared& prepared : bound().stages) result += (prepared.*count)();
    return result;
  }
  void use(std::span<const Field> others, std::int64_t other_width);
  /// Whether no exchange is under way.
  bool idle() { return phase == Phase::packing || (phase == Phase::unpacking && bound().unpacked_by_graph); }
  void require(bool in_order, const char* function) const;
  /// For a stream that is captured.
  void check_capture(bool possible, const char* function) const;
  /// Returns when `of_caller` is done, if the host is to move what it may be using.
  void settle(Stream of_caller, bool by_host) const;
  void pack(Stream of_caller);
  /// Packs a stage that is not packed yet. This and the next two return false if that would take waiting and
  /// `block` does not allow it.
  bool pack_next(bool block);
  void poison();
  void unpack(Stream of_caller);
  /// Starts the messages of a stage that is packed.
  bool send(bool block);
  /// Goes on from there to the next stage, or to unpacking() after the last, when the data has come.
  bool advance(bool block);
  void accumulate(Accumulation& accumulation, Operation operation, Stream of_caller);
  /// The device of a stream, or of the fields if it is a default stream; -1 for the current one.
  int device_of(Stream of_caller) const;
  void follow(Stream of_caller);
  template <typename Step>
  void enqueue(Stream of_caller, Step step);
  /// A stream that follows what `of_caller` holds, and runs beside it from then on; itself without a device.
  Stream stream_beside(Stream of_caller);
  void rejoin(Stream of_caller) const;
  template <typename Step>
  void guard(Buffer& of_messages, Step step);

  std::vector<Field> fields;
  Options asked;
  Setup setup;
  std::int64_t width = full_width;
  Bindings bindings;
  Phase phase = Phase::packing;
  std::size_t stage = 0;
  bool packed = false;      ///< whether the stage is
  bool sent = false;        ///< whether its messages were started
  Stream stream = nullptr;  ///< of start_exchange()
  std::vector<Request> requests;
  std::optional<cuda::OwnStream> own_stream;  ///< of overlap()
  std::optional<cuda::Event> enqueued;        ///< the last of what uses the buffers
};

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
  if (by_host) cuda::Event(device_of(of_caller), of_caller).wait();
}

void Exchange::State::follow(Stream of_caller) {
  if (setup.device >= 0) enqueued.emplace(device_of(of_caller), of_caller);
}

int Exchange::State::device_of(Stream of_caller) const {
  const int device = cuda::stream_device(of_caller);
  return device >= 0 ? device : setup.device;
}

Stream Exchange::State::stream_beside(Stream of_caller) {
  if (setup.device < 0) return of_caller;
  if (!own_stream) own_stream.emplace(setup.device);
  cuda::Event(device_of(of_caller), of_caller).hold(own_stream->get());
  return own_stream->get();
}

void Exchange::State::rejoin(Stream of_caller) const {
  if (own_stream) cuda::Event(setup.device, own_stream->get()).hold(of_caller);
}

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

// Later stages need not wait for the caller: from the first pack() on nothing of his that is enqueued may use
// what they move.
void Exchange::State::pack(Stream of_caller) {
  if (stage == 0) {
    settle(of_caller, std::ranges::any_of(bound().stages, &Prepared::moves_pinned_on_host));
  }
  packed = false;
  stream = of_caller;
  pack_next(true);
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
  now.start(stream, requests);
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

/// Calls `step`, which sends and receives. Where that throws, others may have got this exchange's messages or
/// not, and what is left of them may still use the buffer: nothing goes on from there.
template <typename Step>
void Exchange::State::guard(Buffer& of_messages, Step step) {
  try {
    step();
  } catch (...) {
    phase = Phase::failed;
    requests.clear();
    of_messages.abandon();
    throw;
  }
}

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
  state_->stage = 0;
  state_->pack(stream);
  state_->phase = State::Phase::starting;
}

void Exchange::start_exchange(Stream stream) {
  const bool packed_by_graph = state_->idle() && state_->bound().packed_by_graph;
  state_->require(packed_by_graph || state_->phase == State::Phase::starting, "start_exchange");
  refuse_captured(stream, "start_exchange");
  state_->stream = stream;
  state_->stage = 0;
  state_->packed = true;
  state_->sent = false;
  state_->poison();
  if (state_->bound().stages.front().starts_late()) state_->follow(stream);  // a graph may have packed
  state_->phase = State::Phase::waiting;
  state_->guard(state_->setup.buffer, [&] { state_->send(true); });
}

void Exchange::wait() {
  state_->require(state_->phase == State::Phase::waiting || state_->phase == State::Phase::unpacking, "wait");
  state_->guard(state_->setup.buffer, [&] {
    while (state_->phase == State::Phase::waiting) state_->advance(true);
  });
}

bool Exchange::ready() {
  state_->require(state_->phase == State::Phase::waiting || state_->phase == State::Phase::unpacking,
                  "ready");
  state_->guard(state_->setup.buffer, [&] {
    while (state_->phase == State::Phase::waiting && state_->advance(false)) continue;
  });
  return state_->phase == State::Phase::unpacking;
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
  state_->phase = State::Phase::packing;  // also where it throws: all that was sent has come
  state_->unpack(stream);
}

void Exchange::exchange(Stream stream) {
  pack(stream);
  start_exchange(stream);
  wait();
  unpack(stream);
}

void Exchange::overlap(Stream stream, const std::function<void()>& work) {
  refuse_captured(stream, "overlap");
  const Stream own = state_->stream_beside(stream);
  std::exception_ptr failure;
  const auto attempt = [&](const std::function<void()>& step) {
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  attempt([&] {
    pack(own);
    start_exchange(own);
    attempt(work);
    wait();
    unpack(own);
  });
  state_->rejoin(stream);
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
  together(now.setup.comm->get(), [&] {
    state_->require(state_->idle(), "tune");
    refuse_captured(stream, "tune");
    if (!state_->bindings.in_graphs()) return;
    throw Error("typewarp::halo::Exchange::tune: must come before graphs, which use what it gives up");
  });
  const int device = now.setup.device < 0 ? -1 : now.device_of(stream);
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
