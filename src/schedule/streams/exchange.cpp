// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/exchange.hpp>

#include "engine/arguments.hpp"
#include "engine/dispatch.hpp"
#include "schedule/streams/connections.hpp"
#include "schedule/streams/stream_work.hpp"
#include "schedule/streams/worker.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace typewarp {
namespace {

using exchange::call;

void check_options(const ExchangeOptions& options) { engine::check_time_limit(call, options.time_limit); }

/// Of the first part that nothing carries.
std::string not_carried(const exchange::Connections& connections) {
  const bool sends = !connections.sent.parts.empty();
  const exchange::Carried& carried = sends ? connections.sent : connections.received;
  const schedule::Part& part = carried.parts.front();
  return std::string(sends ? "sends[" : "receives[") + std::to_string(part.index) +
         (sends ? "] to rank " : "] from rank ") + std::to_string(part.peer) +
         ": is not stored by one GPU into the memory of another, and without an MPI nothing else carries "
         "it: " +
         std::string(text(carried.reasons.front()));
}

/// Of the parts that a caller gave, of which `parts` are not of nobody.
template <typename Given>
std::vector<PartWay> ways_of(const std::vector<Given>& given, const std::vector<schedule::Part>& parts,
                             const exchange::Carried& carried) {
  std::vector<PartWay> ways;
  ways.reserve(given.size());
  for (const Given& part : given) ways.push_back({part.peer, 0, false, {}});
  for (const schedule::Part& part : parts) ways[part.index] = {part.peer, part.bytes, part.bytes > 0, {}};
  for (std::size_t i = 0; i < carried.parts.size(); ++i) {
    const schedule::Part& part = carried.parts[i];
    ways[part.index] = {part.peer, part.bytes, false, text(carried.reasons[i])};
  }
  return ways;
}

/// What is displaced, by how much.
struct Displaced {
  std::string_view member, array;
  std::int64_t bytes;

  [[noreturn]] void refuse(const schedule::Part& part, std::string_view why) const {
    throw InvalidArgument("typewarp::Exchange::start", "displacements." + std::string(member), bytes,
                          "must be 0, or another: " + std::string(array) + "[" + std::to_string(part.index) +
                              "] " + std::string(why));
  }

  void check_memory(const schedule::Part& part, bool device) const {
    if (part.bytes == 0 || !gpu::present()) return;
    const PointerInfo found = engine::place_of(part.side(bytes)).memory;
    const bool host = found.kind == MemoryKind::host || found.kind == MemoryKind::pinned;
    const bool same = found.kind == part.memory.kind && found.device == part.memory.device;
    if (device ? !same : !host) refuse(part, "would be in other memory than where it is bound");
  }
};

/// The same pushes with the sends and own receives of `given`, which has the same parts as `sends`, in the
/// same order.
std::vector<exchange::Push> relaid(std::vector<exchange::Push> pushes,
                                   const std::vector<schedule::Part>& sends,
                                   const schedule::Schedule& given) {
  auto own = given.receives.begin();
  for (exchange::Push& push : pushes) {
    const auto bound = std::ranges::find(sends, push.part.index, &schedule::Part::index);
    push.part = given.sends[static_cast<std::size_t>(bound - sends.begin())];
    if (!push.own) continue;
    while (own->bytes == 0) ++own;  // nothing pushes these
    push.plan = own->plan;
    push.count = own->count;
    push.buffer = static_cast<std::byte*>(own->buffer);
    push.memory = own->memory;
    ++own;
  }
  return pushes;
}

/// That the parts of another layout are of the same peers and bytes, and that the same device moves them.
void check_layout(const char* name, const std::vector<schedule::Part>& given,
                  const std::vector<schedule::Part>& bound, int device) {
  const auto refuse = [&](std::size_t i, const char* member, long long value, const std::string& rule) {
    throw InvalidArgument("typewarp::Exchange::add_layout",
                          std::string(name) + "[" + std::to_string(given[i].index) + "]." + member, value,
                          rule);
  };
  for (std::size_t i = 0; i < std::min(given.size(), bound.size()); ++i) {
    const schedule::Part &part = given[i], &as = bound[i];
    if (part.peer != as.peer) refuse(i, "peer", part.peer, "must be " + std::to_string(as.peer));
    if (part.bytes != as.bytes)
      refuse(i, "count", part.count, "must make " + std::to_string(as.bytes) + " bytes, as before");
    const bool here = part.memory.kind == as.memory.kind && part.memory.device == as.memory.device;
    if (part.bytes > 0 && !here) refuse(i, "buffer", device, "must be in memory of this device, as before");
  }
  if (given.size() != bound.size()) {
    throw InvalidArgument("typewarp::Exchange::add_layout", std::string(name) + ".size()",
                          static_cast<long long>(given.size()),
                          "must be " + std::to_string(bound.size()) + ", as many as before");
  }
}

/// That the parts can be where these say. Asks the driver once for each part that they move.
void check_displacements(const PartDisplacements& displacements, const schedule::Schedule& parts,
                         const exchange::Connections& connections) {
  const bool device = parts.device >= 0;
  if (displacements.sends != 0) {
    const Displaced sends{"sends", "sends", displacements.sends};
    for (const schedule::Part& part : parts.sends) {
      if (device && part.bytes > 0 && !part.on_stream())
        sends.refuse(part, "is of the host, beside a device");
      sends.check_memory(part, device);
    }
  }
  if (displacements.own_receives == 0) return;
  const Displaced receives{"own_receives", "receives", displacements.own_receives};
  for (const schedule::Part& part : connections.received.parts) {
    if (part.peer == parts.rank) receives.refuse(part, "is not stored by a device");
  }
  for (const schedule::Part& part : parts.receives) {
    if (part.peer == parts.rank) receives.check_memory(part, device);
  }
}

/// Work on streams refers to it.
struct AddedLayout {
  schedule::Schedule parts;
  std::vector<exchange::Push> pushes;
};

}  // namespace

/// Members are made, and go, in the order of what they need.
struct Exchange::State {
  State(std::unique_ptr<exchange::ExchangeGroup> ranks, std::vector<OutgoingPart> out,
        std::vector<IncomingPart> in, const ExchangeOptions& asked);
  State& operator=(State&&) = delete;
  ~State();

  void make();
  void abandon() noexcept;
  const schedule::Schedule& layout(std::size_t number) const;

  std::vector<OutgoingPart> sends;
  std::vector<IncomingPart> receives;
  ExchangeOptions options;
  std::unique_ptr<exchange::ExchangeGroup> group;
  schedule::Schedule parts;
  exchange::Connections connections;
  std::deque<AddedLayout> layouts;  ///< that were added
  std::unique_ptr<exchange::HostTransport> transport;
  std::optional<exchange::StreamWork> streams;
  std::optional<exchange::Worker> worker;
};

Exchange::State::State(std::unique_ptr<exchange::ExchangeGroup> ranks, std::vector<OutgoingPart> out,
                       std::vector<IncomingPart> in, const ExchangeOptions& asked)
    : sends(std::move(out)), receives(std::move(in)), options(asked), group(std::move(ranks)) {
  exchange::together(*group, [&] {
    check_options(options);
    parts = exchange::checked(sends, receives, *group);
  });
  connections = exchange::connected(*group, parts);
  exchange::together(*group, [&] { make(); });
}

void Exchange::State::make() {
  const bool device = parts.device >= 0;
  const bool moves = !connections.sent.parts.empty() || !connections.received.parts.empty();
  if (moves || !device) transport = group->host_transport(connections, device);
  if (moves && !transport) throw Error(not_carried(connections));
  if (device) {
    const bool kernel = options.wait == DeviceWait::automatic && !connections.shares_device;
    streams.emplace(connections, transport.get(), parts.device,
                    kernel ? gpu::FlagWait::kernel : gpu::FlagWait::memory_operation);
  }
  worker.emplace(transport.get(), device ? &*streams : nullptr, options.time_limit,
                 "typewarp::Exchange: a start");
}

// Peers may write to this rank's memory until they have ended what they started, too.
Exchange::State::~State() {
  const bool together = exchange::is_within(options.time_limit, [&] { return worker->done(); }) &&
                        exchange::is_within(options.time_limit, [&] { return group->met(); });
  if (!together) abandon();
}

void Exchange::State::abandon() noexcept {
  worker->stop();
  if (streams) {
    static_cast<void>(exchange::is_within(options.time_limit, [&] {
      const bool ended = streams->done();
      streams->release();  // also what a start that failed half-way has left on a stream
      return ended;
    }));
    streams->abandon();
    connections.abandon();
  }
  if (transport) transport->abandon();
  group->abandon();
}

const schedule::Schedule& Exchange::State::layout(std::size_t number) const {
  if (number == 0) return parts;
  if (number <= layouts.size()) return layouts[number - 1].parts;
  throw InvalidArgument("typewarp::Exchange::start", "displacements.layout", static_cast<long long>(number),
                        "must be 0 or what add_layout() returned");
}

Exchange::Exchange(const Ranks& ranks, std::span<const OutgoingPart> sends,
                   std::span<const IncomingPart> receives, const ExchangeOptions& options)
    : state_(std::make_unique<State>(ranks.group(), std::vector(sends.begin(), sends.end()),
                                     std::vector(receives.begin(), receives.end()), options)) {}
Exchange::Exchange(Exchange&&) noexcept = default;
Exchange& Exchange::operator=(Exchange&&) noexcept = default;
Exchange::~Exchange() = default;

void Exchange::start(Stream stream, const PartDisplacements& displacements) {
  const int device = state_->parts.device;
  if (device >= 0) {
    const int other = gpu::stream_device(stream);
    if (other >= 0 && other != device) {
      throw InvalidArgument("typewarp::Exchange::start", "stream", "one of device " + std::to_string(other),
                            "must be of device " + std::to_string(device) + ", as the parts are");
    }
  }
  check_displacements(displacements, state_->layout(displacements.layout), state_->connections);
  if (device < 0) return state_->worker->start_on_host(displacements.sends);
  state_->worker->start(stream, [&] { state_->streams->enqueue(stream, displacements); });
}

std::size_t Exchange::add_layout(std::span<const OutgoingPart> sends,
                                 std::span<const IncomingPart> own_receives) {
  State& state = *state_;
  const exchange::Connections& connections = state.connections;
  if (state.parts.device < 0 || !connections.sent.parts.empty() || !connections.received.parts.empty()) {
    throw InvalidArgument("typewarp::Exchange::add_layout", "sends.size()",
                          static_cast<long long>(sends.size()),
                          "cannot be laid out otherwise: a device must store all parts");
  }
  std::vector<schedule::Part> own;
  for (const schedule::Part& part : state.parts.receives) {
    if (part.peer == state.parts.rank) own.push_back(part);
  }
  schedule::Schedule parts = exchange::checked(sends, own_receives, *state.group);
  check_layout("sends", parts.sends, state.parts.sends, state.parts.device);
  check_layout("own_receives", parts.receives, own, state.parts.device);
  AddedLayout& made = state.layouts.emplace_back(AddedLayout{std::move(parts), {}});
  try {
    made.pushes = relaid(connections.pushes, state.parts.sends, made.parts);
    state.streams->add_layout(made.pushes);
  } catch (...) {
    state.layouts.pop_back();
    throw;
  }
  return state.layouts.size();
}

bool Exchange::done() { return state_->worker->done(); }

void Exchange::wait() {
  while (!done()) std::this_thread::yield();
}

ExchangeWays Exchange::ways() const noexcept {
  const exchange::Connections& connections = state_->connections;
  return {std::ssize(connections.pushes), connections.direct_receives, std::ssize(connections.sent.parts),
          std::ssize(connections.received.parts)};
}

std::vector<PartWay> Exchange::ways_of_sends() const {
  return ways_of(state_->sends, state_->parts.sends, state_->connections.sent);
}

std::vector<PartWay> Exchange::ways_of_receives() const {
  return ways_of(state_->receives, state_->parts.receives, state_->connections.received);
}

void Exchange::rebind(std::span<const void* const> sends, std::span<void* const> receives) {
  State& old = *state_;
  std::vector<OutgoingPart> out = old.sends;
  std::vector<IncomingPart> in = old.receives;
  exchange::together(*old.group, [&] {
    wait();
    const auto check = [](std::string_view name, std::size_t given, std::size_t parts) {
      if (given == parts) return;
      throw InvalidArgument("typewarp::Exchange::rebind", std::string(name) + ".size()",
                            static_cast<long long>(given),
                            "must be one for each of " + std::to_string(parts) + " parts");
    };
    check("sends", sends.size(), out.size());
    check("receives", receives.size(), in.size());
  });
  for (std::size_t i = 0; i < out.size(); ++i) out[i].buffer = sends[i];
  for (std::size_t i = 0; i < in.size(); ++i) in[i].buffer = receives[i];
  state_ = std::make_unique<State>(old.group->another(), std::move(out), std::move(in), old.options);
}

}  // namespace typewarp
