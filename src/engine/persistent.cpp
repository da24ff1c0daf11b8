// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/persistent.hpp>

#include "engine/arguments.hpp"
#include "engine/device/gpu.hpp"
#include "engine/dispatch.hpp"

#include <algorithm>
#include <optional>

namespace typewarp {
namespace {

/// One side of an operation, wherever it lies.
struct PersistentSide {
  std::optional<Plan> plan;  ///< none for packed bytes
  std::int64_t count;

  /// The engines read a source through the same handle as they write a destination, and never write to it.
  gpu::Side at(const void* address) const {
    return {plan ? &*plan : nullptr, count, const_cast<void*>(address)};
  }
};

/// Where both sides lie, and by what names the caller gave that.
struct BoundBuffers {
  const void* source;
  void* destination;
  std::string_view call, source_name, destination_name;
};

PersistentSide packed_bytes(ByteRange range) { return {std::nullopt, range.end - range.begin}; }

}  // namespace

struct Persistent::State {
  PersistentSide source, destination;
  ByteRange range;
  int device;  ///< that executes; device_of_data until one is needed
  const void* source_address = nullptr;
  void* destination_address = nullptr;
  bool on_host = true;                  ///< whether no device is involved between these addresses
  std::unique_ptr<gpu::Replay> replay;  ///< of the last addresses that involved a device

  State(PersistentSide from, PersistentSide to, ByteRange which, int executor)
      : source(std::move(from)), destination(std::move(to)), range(which), device(executor) {}

  bool empty() const noexcept { return range.begin == range.end; }
  /// A graph is launched with it: what is in the graph has none of its own.
  Priority priority() const {
    return gpu::hints_of(destination.plan ? &*destination.plan : nullptr,
                         source.plan ? &*source.plan : nullptr)
        .priority;
  }
  void bind(const BoundBuffers& binding);
  void record(const BoundBuffers& binding, const engine::Route& route);
  void start(Stream stream);
};

/// Changes nothing if it throws.
void Persistent::State::bind(const BoundBuffers& binding) {
  if (!empty()) {
    if (!source.plan) engine::check_packed(binding.call, binding.source, binding.source_name);
    if (!destination.plan) engine::check_packed(binding.call, binding.destination, binding.destination_name);
    bool host = !gpu::present();
    if (!host) {
      const engine::Route route(destination.at(binding.destination), source.at(binding.source));
      host = route.on_host();
      if (!host) record(binding, route);
    }
    on_host = host;
  }
  source_address = binding.source;
  destination_address = binding.destination;
}

void Persistent::State::record(const BoundBuffers& binding, const engine::Route& route) {
  if (device < device_of_data) {
    throw InvalidArgument(binding.call, "device", device, "must be a device, or device_of_data");
  }
  const int executor = route.device(device);
  engine::check_reachable(binding.call, binding.destination_name, route.destination, executor);
  engine::check_reachable(binding.call, binding.source_name, route.source, executor);
  const auto enqueue = [&](const gpu::LaunchContext& context) {
    gpu::copy(route.destination.of(destination.at(binding.destination)),
              route.source.of(source.at(binding.source)), range, context);
  };
  if (replay) {
    replay->replace(enqueue);
  } else {
    replay = std::make_unique<gpu::Replay>(executor, enqueue);
    device = executor;
  }
}

void Persistent::State::start(Stream stream) {
  if (empty()) return;
  if (on_host) {
    return engine::move_on_host(destination.at(destination_address), source.at(source_address), range);
  }
  if (gpu::capturing(stream)) {
    throw InvalidArgument("typewarp::Persistent::start", "stream", "one that is captured",
                          "must not be: capture pack, unpack or copy instead");
  }
  replay->launch(stream, priority());
}

Persistent::Persistent(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
Persistent::Persistent(Persistent&&) noexcept = default;
Persistent& Persistent::operator=(Persistent&&) noexcept = default;
Persistent::~Persistent() = default;

Persistent Persistent::pack_init(const void* buffer, std::int64_t count, const Plan& plan, void* packed) {
  const ByteRange all{0, engine::whole_size("typewarp::Persistent::pack_init", "count", count, plan)};
  return pack_init(buffer, count, plan, packed, all);
}

Persistent Persistent::pack_init(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
                                 ByteRange range, int device) {
  constexpr std::string_view call = "typewarp::Persistent::pack_init";
  engine::check_range(call, range, engine::stream_size(call, "count", count, plan));
  auto state = std::make_unique<State>(PersistentSide{plan, count}, packed_bytes(range), range, device);
  state->bind({buffer, packed, call, "buffer", "packed"});
  return Persistent(std::move(state));
}

Persistent Persistent::unpack_init(const void* packed, void* buffer, std::int64_t count, const Plan& plan) {
  const ByteRange all{0, engine::whole_size("typewarp::Persistent::unpack_init", "count", count, plan)};
  return unpack_init(packed, buffer, count, plan, all);
}

Persistent Persistent::unpack_init(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
                                   ByteRange range, int device) {
  constexpr std::string_view call = "typewarp::Persistent::unpack_init";
  engine::check_range(call, range, engine::stream_size(call, "count", count, plan));
  auto state = std::make_unique<State>(packed_bytes(range), PersistentSide{plan, count}, range, device);
  state->bind({packed, buffer, call, "packed", "buffer"});
  return Persistent(std::move(state));
}

Persistent Persistent::copy_init(const void* source, std::int64_t source_count, const Plan& source_plan,
                                 void* destination, std::int64_t destination_count,
                                 const Plan& destination_plan) {
  const std::int64_t size = engine::equal_size("typewarp::Persistent::copy_init", source_count, source_plan,
                                               destination_count, destination_plan);
  return copy_init(source, source_count, source_plan, destination, destination_count, destination_plan,
                   {0, size});
}

Persistent Persistent::copy_init(const void* source, std::int64_t source_count, const Plan& source_plan,
                                 void* destination, std::int64_t destination_count,
                                 const Plan& destination_plan, ByteRange range, int device) {
  constexpr std::string_view call = "typewarp::Persistent::copy_init";
  engine::check_range(
      call, range,
      std::min(engine::stream_size(call, "source_count", source_count, source_plan),
               engine::stream_size(call, "destination_count", destination_count, destination_plan)));
  auto state = std::make_unique<State>(PersistentSide{source_plan, source_count},
                                       PersistentSide{destination_plan, destination_count}, range, device);
  state->bind({source, destination, call, "source", "destination"});
  return Persistent(std::move(state));
}

void Persistent::start(Stream stream) { state_->start(stream); }

void Persistent::start(const void* source, void* destination, Stream stream) {
  if (source != state_->source_address || destination != state_->destination_address) {
    state_->bind({source, destination, "typewarp::Persistent::start", "source", "destination"});
  }
  state_->start(stream);
}

bool Persistent::done() { return !state_->replay || state_->replay->done(); }

void Persistent::wait() {
  if (state_->replay) state_->replay->wait();
}

}  // namespace typewarp
