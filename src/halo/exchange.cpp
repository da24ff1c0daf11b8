// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/accumulation.hpp"
#include "halo/agreement.hpp"
#include "halo/prepared.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <list>
#include <string>
#include <string_view>

namespace typewarp::halo {
namespace {

/// What an exchange of one width needs of fields at some addresses.
struct Binding {
  std::vector<void*> data;
  std::int64_t width;
  std::vector<Prepared> stages;
  std::unique_ptr<Accumulation> accumulation;  ///< once it has been asked for
  bool in_graphs = false;  ///< whether a graph packs or unpacks by this: it must stay then
};

std::vector<void*> addresses(std::span<const Field> fields) {
  std::vector<void*> data;
  for (const Field& field : fields) data.push_back(field.data());
  return data;
}

bool is_captured(Stream stream) { return gpu_present() && cuda::capturing(stream); }

void refuse_captured(Stream stream, const char* function) {
  if (!is_captured(stream)) return;
  throw InvalidArgument("typewarp::halo::Exchange::" + std::string(function), "stream",
                        "one that is captured",
                        "must not be captured into a graph, of which no message is a part");
}

}  // namespace

std::string_view name(Packing packing) noexcept {
  constexpr std::array<std::string_view, 4> names{"automatic", "manual", "mpi_pack", "datatype"};
  return names[static_cast<std::size_t>(packing)];
}

struct Exchange::State {
  /// What comes next.
  enum class Phase : std::uint8_t { packing, starting, waiting, unpacking };
  static constexpr std::size_t most_bindings = 8;

  State(const ProcessGrid& grid, std::vector<Field> described, const Options& options);
  ~State();

  /// What is bound.
  Binding& bound() { return bindings.front(); }
  void use(std::span<const Field> others, std::int64_t other_width);
  Binding prepare(std::span<const Field> others, std::int64_t other_width) const;
  /// Whether no exchange is under way.
  bool idle() { return phase == Phase::packing || (phase == Phase::unpacking && bound().in_graphs); }
  void require(bool in_order, const char* function) const;
  void pack(Stream of_caller);
  void start();
  void unpack(Stream of_caller);
  /// Goes on to the next stage, if there is one, since the data of this one has come.
  void advance();
  /// The device of a stream, or of the fields if it is a default stream.
  int device_of(Stream of_caller) const;
  void follow(Stream of_caller);
  template <typename Step>
  void enqueue(Stream of_caller, Step step);
  /// A stream that follows what `of_caller` holds, and runs beside it from then on; itself without a device.
  Stream stream_beside(Stream of_caller);
  void rejoin(Stream of_caller) const;
  void give_up() noexcept;
  template <typename Step>
  void guard(Step step);
  void wait_for_enqueued();

  std::vector<Field> fields;
  Setup setup;
  std::int64_t width = full_width;
  std::list<Binding> bindings;  ///< the last used come first
  Phase phase = Phase::packing;
  std::size_t stage = 0;
  Stream stream = nullptr;  ///< of start_exchange()
  std::vector<Request> requests;
  std::optional<cuda::OwnStream> own_stream;  ///< of overlap()
  std::optional<cuda::Event> enqueued;        ///< the last of what uses the buffer
};

Exchange::State::State(const ProcessGrid& grid, std::vector<Field> described, const Options& options)
    : fields(std::move(described)), setup(grid, fields, options) {
  together(setup.comm->get(), [&] { use(fields, width); });
}

Exchange::State::~State() {
  requests.clear();
  transport::ended(enqueued, true);  // a destructor has nobody to tell of what failed
}

void Exchange::State::wait_for_enqueued() {
  if (enqueued) enqueued->wait();
}

void Exchange::State::use(std::span<const Field> others, std::int64_t other_width) {
  phase = Phase::packing;  // what a graph was to unpack is of other memory now
  const std::vector<void*> data = addresses(others);
  const auto known = std::ranges::find_if(
      bindings, [&](const Binding& binding) { return binding.width == other_width && binding.data == data; });
  if (known != bindings.end()) return bindings.splice(bindings.begin(), bindings, known);
  bindings.push_front(prepare(others, other_width));
  const auto oldest = std::ranges::find(bindings.rbegin(), bindings.rend(), false, &Binding::in_graphs);
  if (bindings.size() <= most_bindings || oldest == std::prev(bindings.rend())) return;
  wait_for_enqueued();
  bindings.erase(std::prev(oldest.base()));
}

Binding Exchange::State::prepare(std::span<const Field> others, std::int64_t other_width) const {
  std::vector<Stage> stages = stages_of(setup.grid, others, setup.options, other_width);
  Binding made{addresses(others), other_width, {}, nullptr};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t t = 0; t < stages[s].size(); ++t) {
      stages[s][t].received_order = setup.stages[s][t].received_order;
    }
    made.stages.emplace_back(setup, others, stages[s]);
  }
  return made;
}

void Exchange::State::require(bool in_order, const char* function) const {
  if (in_order) return;
  constexpr std::array next{"pack()", "start_exchange()", "wait()", "unpack()"};
  throw Error("typewarp::halo::Exchange::" + std::string(function) + ": the next call must be " +
              next[static_cast<std::size_t>(phase)]);
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

void Exchange::State::pack(Stream of_caller) {
  enqueue(of_caller, [&] { bound().stages[stage].pack(of_caller); });
}

void Exchange::State::unpack(Stream of_caller) {
  enqueue(of_caller, [&] { bound().stages[stage].unpack(of_caller); });
}

void Exchange::State::start() {
  Prepared& now = bound().stages[stage];
  now.poison(stream);
  now.start(stream, requests);
}

void Exchange::State::give_up() noexcept {
  requests.clear();
  phase = Phase::packing;
}

/// Calls `step`, a part of an exchange, which is over if that throws.
template <typename Step>
void Exchange::State::guard(Step step) {
  try {
    step();
  } catch (...) {
    give_up();
    throw;
  }
}

void Exchange::State::advance() {
  wait_all(requests);
  requests.clear();
  if (stage + 1 == bound().stages.size()) {
    phase = Phase::unpacking;
    return;
  }
  unpack(stream);
  ++stage;
  pack(stream);
  start();
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
    state_->bound().in_graphs = true;
    return state_->bound().stages.front().pack(stream);
  }
  state_->require(state_->idle(), "pack");
  state_->stage = 0;
  state_->pack(stream);
  state_->phase = State::Phase::starting;
}

void Exchange::start_exchange(Stream stream) {
  const bool packed_by_graph = state_->idle() && state_->bound().in_graphs;
  state_->require(packed_by_graph || state_->phase == State::Phase::starting, "start_exchange");
  refuse_captured(stream, "start_exchange");
  state_->stream = stream;
  state_->stage = 0;
  state_->phase = State::Phase::waiting;
  state_->guard([&] { state_->start(); });
}

void Exchange::wait() {
  state_->require(state_->phase == State::Phase::waiting || state_->phase == State::Phase::unpacking, "wait");
  state_->guard([&] {
    while (state_->phase == State::Phase::waiting) state_->advance();
  });
}

bool Exchange::ready() {
  if (state_->phase == State::Phase::unpacking) return true;
  state_->require(state_->phase == State::Phase::waiting, "ready");
  for (Request& request : state_->requests) {
    if (!request.ready()) return false;
  }
  state_->guard([&] { state_->advance(); });
  return state_->phase == State::Phase::unpacking;
}

void Exchange::unpack(Stream stream) {
  if (is_captured(stream)) {
    state_->bound().in_graphs = true;
    return state_->bound().stages.back().unpack(stream);
  }
  state_->require(state_->phase == State::Phase::unpacking, "unpack");
  state_->guard([&] { state_->unpack(stream); });
  state_->phase = State::Phase::packing;
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
  pack(own);
  start_exchange(own);
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  wait();
  unpack(own);
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
  state_->enqueue(stream, [&] { accumulation->run(operation, stream); });
}

const std::vector<Field>& Exchange::fields() const noexcept { return state_->fields; }
Packing Exchange::packing() const noexcept { return state_->setup.options.packing; }
Messages Exchange::messages() const noexcept { return state_->setup.options.messages; }

std::int64_t Exchange::bytes_sent() const noexcept {
  std::int64_t bytes = 0;
  for (const Prepared& stage : state_->bound().stages) bytes += stage.bytes_sent();
  return bytes;
}

std::int64_t Exchange::messages_sent() const noexcept {
  std::int64_t messages = 0;
  for (const Prepared& stage : state_->bound().stages) messages += stage.messages_sent();
  return messages;
}

}  // namespace typewarp::halo
