// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/device_group.hpp>

#include "engine/arguments.hpp"
#include "engine/runtime/inventory.hpp"
#include "schedule/streams/collective_starts.hpp"
#include "schedule/streams/peer_memory.hpp"
#include "schedule/streams/registered_buffers.hpp"
#include "schedule/streams/worker.hpp"

#include <array>
#include <optional>
#include <string>
#include <thread>

namespace typewarp {
namespace {

using gpu::NumbersOfRanks;
using Result = NumbersOfRanks::Result;

constexpr std::string_view maker = "typewarp::DeviceGroup";
static_assert(DeviceGroup::most_ranks == NumbersOfRanks::most_ranks);

/// What a call is given, which it checks.
struct GroupCall {
  std::string_view call;
  const void* in;
  void* out;
  Named type;
  Operation operation;
  Stream stream;
};

/// Of bytes, which nothing combines.
GroupCall moving(std::string_view call, const void* in, void* out, Stream stream) {
  return {call, in, out, Named::byte, Operation::band, stream};
}

/// Bytes of a call: of all ranks' shares, what this rank gives, and what it gets.
struct CallBytes {
  std::int64_t all, in, out;
};

/// Memory that is given in an argument.
struct ArgumentMemory {
  std::string_view argument;
  const std::byte* begin;
  std::int64_t bytes;

  bool overlaps(const ArgumentMemory& other) const noexcept {
    return begin < other.begin + other.bytes && other.begin < begin + bytes;
  }
};

int device_of(const DeviceGroupOptions& options) {
  engine::check_time_limit(maker, options.time_limit);
  if (!gpu::present()) return -1;
  return gpu::device_of_argument(maker, "options.device", options.device);
}

}  // namespace

/// Members are made, and go, in the order of what they need.
struct DeviceGroup::State {
  State(std::unique_ptr<exchange::ExchangeGroup> ranks, const DeviceGroupOptions& asked);
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  std::size_t ranks() const noexcept { return static_cast<std::size_t>(group->size()); }
  std::size_t rank() const noexcept { return static_cast<std::size_t>(group->rank()); }
  void combine(const GroupCall& given, std::int64_t count, Result result, int root = 0);
  void start_shares(const GroupCall& given, std::string_view argument, std::span<const std::int64_t> counts,
                    Result result);
  void start_equal_shares(const GroupCall& given, std::int64_t bytes, Result result);
  void register_memory(void* begin, std::int64_t bytes);
  void deregister_memory(void* begin);
  void check_registrable(std::string_view call, std::byte* begin, std::int64_t bytes) const;
  void wait();
  void broadcast(std::string_view call, void* buffer, std::int64_t bytes, int root, Stream stream);
  void check_memory(std::string_view call, const ArgumentMemory& given) const;
  void check_stream(std::string_view call, Stream stream) const;
  void check_root(std::string_view call, int root) const;
  void start(const GroupCall& given, NumbersOfRanks& numbers, const CallBytes& bytes);
  /// Throws what has failed before.
  void enqueue_nothing(Stream stream) {
    worker->start(stream, [] {});
  }
  void abandon() noexcept;

  DeviceGroupOptions options;
  std::unique_ptr<exchange::ExchangeGroup> group;
  std::unique_ptr<exchange::PeerMemory> memory;
  exchange::RegisteredBuffers registered;
  std::unique_ptr<exchange::CollectiveStarts> starts;
  std::optional<exchange::Worker> worker;
};

DeviceGroup::State::State(std::unique_ptr<exchange::ExchangeGroup> all, const DeviceGroupOptions& asked)
    : options(asked), group(std::move(all)) {
  group->set_maker(maker);
  if (group->size() > most_ranks) {
    throw Error(std::string(maker) + ": there are " + std::to_string(group->size()) +
                " ranks, must be at most " + std::to_string(most_ranks));
  }
  exchange::together(*group, [&] { options.device = device_of(options); });
  std::string why;
  memory =
      exchange::PeerMemory::of(*group, options.device, gpu::PeerReduction::memory_bytes(group->size()), &why);
  if (!memory)
    throw Error(std::string(maker) + ": each rank needs a GPU of its own, all of one host: " + why);
  exchange::together(*group, [&] {
    starts = std::make_unique<exchange::CollectiveStarts>(options.device, group->rank(), memory->of_ranks());
    worker.emplace(nullptr, starts.get(), options.time_limit, "typewarp::DeviceGroup: a call");
  });
}

// Peers write to this rank's memory until they have ended their calls, too.
DeviceGroup::State::~State() {
  const bool together = exchange::is_within(options.time_limit, [&] { return worker->done(); }) &&
                        exchange::is_within(options.time_limit, [&] { return group->met(); });
  if (!together) abandon();
}

void DeviceGroup::State::abandon() noexcept {
  worker->stop();
  const bool ended = exchange::is_within(options.time_limit, [&] {
    const bool done = starts->done();
    starts->release();  // also what waits in a graph
    return done;
  });
  if (ended) {
    memory->abandon();
  } else {  // kernels may still use what this rank has mapped, too
    static_cast<void>(starts.release());
    static_cast<void>(memory.release());
    registered.abandon();
  }
  group->abandon();
}

void DeviceGroup::State::check_memory(std::string_view call, const ArgumentMemory& given) const {
  const auto& [argument, begin, bytes] = given;
  if (begin == nullptr) throw InvalidArgument(call, argument, "null", "must not be null");
  if (gpu::reachable(begin, gpu::pointer_info(begin), options.device)) return;
  throw InvalidArgument(call, argument,
                        "memory that device " + std::to_string(options.device) + " does not reach",
                        "must be of this rank's device, or within its reach");
}

void DeviceGroup::State::check_stream(std::string_view call, Stream stream) const {
  const int other = gpu::stream_device(stream);
  if (other < 0 || other == options.device) return;
  throw InvalidArgument(call, "stream", "one of device " + std::to_string(other),
                        "must be of device " + std::to_string(options.device));
}

void DeviceGroup::State::check_root(std::string_view call, int root) const {
  if (root >= 0 && root < group->size()) return;
  throw InvalidArgument(call, "root", root, "must be a rank of " + std::to_string(group->size()));
}

void DeviceGroup::State::start(const GroupCall& given, NumbersOfRanks& numbers, const CallBytes& bytes) {
  check_stream(given.call, given.stream);
  if (bytes.all == 0) return enqueue_nothing(given.stream);  // in all ranks
  const ArgumentMemory in{"in", numbers.in, bytes.in}, out{"out", numbers.out, bytes.out};
  if (in.bytes > 0) check_memory(given.call, in);
  if (out.bytes > 0 && (in.bytes == 0 || out.begin != in.begin)) check_memory(given.call, out);
  // A side that has one share alone may be that share of the other side.
  const std::int64_t before = numbers.shares[rank()] * (bytes.all / numbers.shares[ranks()]);
  const std::int64_t place = numbers.result == Result::of_own     ? before
                             : numbers.result == Result::gathered ? -before
                                                                  : 0;
  if (in.bytes > 0 && out.bytes > 0 && out.begin != in.begin + place && out.overlaps(in)) {
    throw InvalidArgument(given.call, "out", "memory that overlaps `in`", "must not, unless it is in place");
  }
  if (!numbers.combines()) {
    // In place, a peer's block would overwrite a block that has not been sent yet.
    const bool in_place = numbers.result == Result::exchanged && numbers.in == numbers.out;
    registered.tell(numbers, in_place ? nullptr : numbers.out, bytes.out);
  }
  worker->start(given.stream, [&] { starts->enqueue(numbers, given.stream); });
}

void DeviceGroup::State::register_memory(void* begin, std::int64_t bytes) {
  constexpr std::string_view call = "typewarp::DeviceGroup::register_memory";
  auto* const address = static_cast<std::byte*>(begin);
  exchange::together(*group, [&] { check_registrable(call, address, bytes); });
  if (!exchange::are_alike(*group, bytes))
    throw InvalidArgument(call, "bytes", bytes, "must be equal on all ranks");
  const std::string why = registered.add(*group, options.device, address, bytes);
  if (!why.empty()) throw Error(std::string(call) + ": " + why);
}

void DeviceGroup::State::check_registrable(std::string_view call, std::byte* begin,
                                           std::int64_t bytes) const {
  if (bytes <= 0) throw InvalidArgument(call, "bytes", bytes, "must be positive");
  const auto value = reinterpret_cast<std::intptr_t>(begin);
  if (registered.number_of(begin))
    throw InvalidArgument(call, "begin", value, "must not be registered already");
  std::string why;
  if (!gpu::export_memory(begin, bytes, &why))
    throw InvalidArgument(call, "begin", value, "cannot be mapped by others: " + why);
  if (gpu::pointer_info(begin).device != options.device)
    throw InvalidArgument(call, "begin", value, "must be of device " + std::to_string(options.device));
}

void DeviceGroup::State::deregister_memory(void* begin) {
  constexpr std::string_view call = "typewarp::DeviceGroup::deregister_memory";
  const std::int64_t number = registered.number_of(begin).value_or(0);
  exchange::together(*group, [&] {
    if (number == 0) {
      throw InvalidArgument(call, "begin", reinterpret_cast<std::intptr_t>(begin),
                            "must be where registered memory begins");
    }
    wait();
  });
  if (!exchange::are_alike(*group, number))
    throw Error(std::string(call) + ": ranks give memories that they have not registered together");
  registered.drop(number);
}

void DeviceGroup::State::wait() {
  while (!worker->done()) std::this_thread::yield();
}

void DeviceGroup::State::combine(const GroupCall& given, std::int64_t count, Result result, int root) {
  const std::int64_t bytes =
      engine::bytes_of_numbers(given.call, "count", count, given.type, given.operation);
  check_root(given.call, root);
  const bool gets = result == Result::of_root      ? group->rank() == root
                    : result == Result::before_own ? group->rank() > 0
                                                   : true;
  NumbersOfRanks numbers{static_cast<const std::byte*>(given.in),
                         gets ? static_cast<std::byte*>(given.out) : nullptr,
                         given.type,
                         given.operation,
                         result,
                         root};
  numbers.share_evenly(count, group->size());
  start(given, numbers, {bytes, bytes, gets ? bytes : 0});
}

void DeviceGroup::State::start_shares(const GroupCall& given, std::string_view argument,
                                      std::span<const std::int64_t> counts, Result result) {
  if (counts.size() != ranks()) {
    throw InvalidArgument(given.call, std::string(argument) + ".size()",
                          static_cast<long long>(counts.size()),
                          "must be one for each of " + std::to_string(ranks()) + " ranks");
  }
  NumbersOfRanks numbers{static_cast<const std::byte*>(given.in), nullptr, given.type, given.operation,
                         result};
  CallBytes bytes{};
  std::int64_t own = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string entry = std::string(argument) + "[" + std::to_string(i) + "]";
    const std::int64_t part =
        engine::bytes_of_numbers(given.call, entry, counts[i], given.type, given.operation);
    if (__builtin_add_overflow(bytes.all, part, &bytes.all))
      throw InvalidArgument(given.call, entry, counts[i], "must leave all bytes within 64 bits");
    numbers.shares[i + 1] = numbers.shares[i] + counts[i];
    if (i == rank()) own = part;
  }
  bytes.in = result == Result::gathered ? own : bytes.all;
  bytes.out = result == Result::of_own ? own : bytes.all;
  if (bytes.out > 0) numbers.out = static_cast<std::byte*>(given.out);
  start(given, numbers, bytes);
}

void DeviceGroup::State::start_equal_shares(const GroupCall& given, std::int64_t bytes, Result result) {
  std::int64_t all = 0;
  if (bytes < 0 || __builtin_mul_overflow(bytes, static_cast<std::int64_t>(ranks()), &all))
    throw InvalidArgument(given.call, "bytes", bytes, "must not be negative, and all bytes must fit 64 bits");
  std::array<std::int64_t, most_ranks> counts;
  counts.fill(bytes);
  start_shares(given, "bytes", std::span(counts).first(ranks()), result);
}

void DeviceGroup::State::broadcast(std::string_view call, void* buffer, std::int64_t bytes, int root,
                                   Stream stream) {
  if (bytes < 0) throw InvalidArgument(call, "bytes", bytes, "must not be negative");
  check_root(call, root);
  check_stream(call, stream);
  if (bytes == 0) return enqueue_nothing(stream);
  auto* const begin = static_cast<std::byte*>(buffer);
  check_memory(call, {"buffer", begin, bytes});
  if (group->size() == 1) return enqueue_nothing(stream);
  const bool gives = group->rank() == root;
  NumbersOfRanks numbers{gives ? begin : nullptr, gives ? nullptr : begin, Named::byte,
                         Operation::band,         Result::from_root,       root};
  numbers.shares[ranks()] = bytes;
  registered.tell(numbers, begin, bytes);
  worker->start(stream, [&] { starts->enqueue(numbers, stream); });
}

DeviceGroup::DeviceGroup(const Ranks& ranks, const DeviceGroupOptions& options)
    : state_(std::make_unique<State>(ranks.group(), options)) {}
DeviceGroup::DeviceGroup(DeviceGroup&&) noexcept = default;
DeviceGroup& DeviceGroup::operator=(DeviceGroup&&) noexcept = default;
DeviceGroup::~DeviceGroup() = default;

int DeviceGroup::rank() const noexcept { return state_->group->rank(); }
int DeviceGroup::size() const noexcept { return state_->group->size(); }
int DeviceGroup::device() const noexcept { return state_->options.device; }

void DeviceGroup::allreduce(const void* in, void* out, std::int64_t count, Named type, Operation operation,
                            Stream stream) {
  state_->combine({"typewarp::DeviceGroup::allreduce", in, out, type, operation, stream}, count,
                  Result::of_all);
}

void DeviceGroup::reduce(const void* in, void* out, std::int64_t count, Named type, Operation operation,
                         int root, Stream stream) {
  state_->combine({"typewarp::DeviceGroup::reduce", in, out, type, operation, stream}, count, Result::of_root,
                  root);
}

void DeviceGroup::reduce_scatter(const void* in, void* out, std::span<const std::int64_t> counts, Named type,
                                 Operation operation, Stream stream) {
  state_->start_shares({"typewarp::DeviceGroup::reduce_scatter", in, out, type, operation, stream}, "counts",
                       counts, Result::of_own);
}

void DeviceGroup::scan(const void* in, void* out, std::int64_t count, Named type, Operation operation,
                       Stream stream) {
  state_->combine({"typewarp::DeviceGroup::scan", in, out, type, operation, stream}, count,
                  Result::up_to_own);
}

void DeviceGroup::exscan(const void* in, void* out, std::int64_t count, Named type, Operation operation,
                         Stream stream) {
  state_->combine({"typewarp::DeviceGroup::exscan", in, out, type, operation, stream}, count,
                  Result::before_own);
}

void DeviceGroup::allgather(const void* in, void* out, std::int64_t bytes, Stream stream) {
  state_->start_equal_shares(moving("typewarp::DeviceGroup::allgather", in, out, stream), bytes,
                             Result::gathered);
}

void DeviceGroup::allgatherv(const void* in, void* out, std::span<const std::int64_t> bytes, Stream stream) {
  state_->start_shares(moving("typewarp::DeviceGroup::allgatherv", in, out, stream), "bytes", bytes,
                       Result::gathered);
}

void DeviceGroup::alltoall(const void* in, void* out, std::int64_t bytes, Stream stream) {
  state_->start_equal_shares(moving("typewarp::DeviceGroup::alltoall", in, out, stream), bytes,
                             Result::exchanged);
}

void DeviceGroup::broadcast(void* buffer, std::int64_t bytes, int root, Stream stream) {
  state_->broadcast("typewarp::DeviceGroup::broadcast", buffer, bytes, root, stream);
}

bool DeviceGroup::done() { return state_->worker->done(); }

void DeviceGroup::wait() { state_->wait(); }

void DeviceGroup::register_memory(void* begin, std::int64_t bytes) { state_->register_memory(begin, bytes); }

void DeviceGroup::deregister_memory(void* begin) { state_->deregister_memory(begin); }

}  // namespace typewarp
