// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agreement.hpp"
#include "halo/prepared.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
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
  bool in_graphs = false;  ///< whether a graph packs or unpacks by this, which must stay then
};

std::vector<void*> addresses(std::span<const Field> fields) {
  std::vector<void*> data;
  for (const Field& field : fields) data.push_back(field.data());
  return data;
}

bool is_captured(Stream stream) { return gpu_present() && cuda::capturing(stream); }

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
  void arrive();
  void follow(Stream of_caller);
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
  std::optional<cuda::Event> enqueued;  ///< the last of what uses the buffer
};

Exchange::State::State(const ProcessGrid& grid, std::vector<Field> described, const Options& options)
    : fields(std::move(described)), setup(grid, fields, options) {
  together(setup.comm.get(), [&] { use(fields, width); });
}

Exchange::State::~State() {
  requests.clear();
  try {
    wait_for_enqueued();
  } catch (const CudaError&) {
    // What failed uses the buffer no more, and a destructor has nobody to tell.
  }
}

void Exchange::State::wait_for_enqueued() {
  if (enqueued) enqueued->wait();
}

void Exchange::State::use(std::span<const Field> others, std::int64_t other_width) {
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
  Binding made{addresses(others), other_width, {}};
  for (std::size_t s = 0; s < stages.size(); ++s) {
    for (std::size_t t = 0; t < stages[s].size(); ++t) stages[s][t].order = setup.stages[s][t].order;
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
  if (setup.device < 0) return;
  const int device = cuda::stream_device(of_caller);
  enqueued.emplace(device >= 0 ? device : setup.device, of_caller);
}

void Exchange::State::pack(Stream of_caller) {
  bound().stages[stage].pack(of_caller);
  follow(of_caller);
}

void Exchange::State::unpack(Stream of_caller) {
  bound().stages[stage].unpack(of_caller);
  follow(of_caller);
}

// Messages in page-locked memory go at once: the transport would put received ones elsewhere first if it had
// to suppose that work on the stream uses it.
void Exchange::State::start() {
  Prepared& now = bound().stages[stage];
  now.poison(stream);
  if (!setup.pins()) return now.start(stream, requests);
  const int device = cuda::stream_device(stream);
  cuda::Event(device >= 0 ? device : setup.device, stream).wait();
  now.start(cuda::private_stream(setup.device), requests);
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

void Exchange::State::arrive() {
  std::vector<Request> ended;
  ended.swap(requests);
  wait_all(ended);
}

void Exchange::State::advance() {
  arrive();
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
  if (is_captured(stream)) {
    throw InvalidArgument("typewarp::halo::Exchange::start_exchange", "stream", "one that is captured",
                          "must not be captured into a graph, of which no message is a part");
  }
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
