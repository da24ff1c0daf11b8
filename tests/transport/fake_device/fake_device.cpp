// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fake_device/fake_device.hpp"

#include "engine/runtime/gpu_sharing.hpp"
#include "engine/dispatch.hpp"
#include "transport/fake_device/fake_moves.hpp"

#include <typewarp/error.hpp>

#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

/// What has been enqueued on a stream, numbered from 1 on.
struct CUstream_st {
  std::deque<std::function<void()>> work;
  std::int64_t enqueued = 0;
  std::int64_t executed = 0;
  std::set<std::int64_t> failed;
};

namespace typewarp::test {
namespace {

constexpr int the_device = 0;
constexpr int launch_failure = 719;  // cudaErrorLaunchFailure
constexpr int out_of_memory = 2;     // cudaErrorMemoryAllocation

struct Device {
  std::recursive_mutex mutex;
  struct Range {
    std::size_t bytes;
    MemoryKind kind;
  };
  std::map<const std::byte*, Range> memory;
  CUstream_st null_stream;
  CUstream_st stream_roles[gpu::stream_roles];
  std::size_t under_way = 0;
  std::size_t pinned = 0;
  DeviceFailure failing = DeviceFailure::launch;
  int until_failure = 0;
  bool failed = false;
  std::uint64_t launches = 0;
  Hints hints;  ///< of the last move of a plan's data

  /// What has all of these bytes; null if nothing has.
  const Range* holding(const std::byte* first, std::int64_t bytes) const {
    const auto after = memory.upper_bound(first);
    if (after == memory.begin()) return nullptr;
    const auto& [begin, range] = *std::prev(after);
    return first + bytes <= begin + range.bytes ? &range : nullptr;
  }
  bool fails(DeviceFailure what) {
    if (what != failing || until_failure == 0 || --until_failure != 0) return false;
    failed = true;
    return true;
  }
  CUstream_st& stream(Stream asked) {
    return asked == nullptr ? null_stream : *static_cast<CUstream_st*>(asked);
  }
  void step(CUstream_st& stream) {
    stream.work.front()();
    stream.work.pop_front();
    ++stream.executed;
    --under_way;
  }
};

Device& device() {
  static Device& one = *new Device;
  return one;
}

using Lock = std::lock_guard<std::recursive_mutex>;

std::size_t value_of(Quirk quirk) { return quirk_of_device[static_cast<std::size_t>(quirk)]; }
/// Whether there is such a limit, and this is more.
bool beyond(Quirk limit, std::size_t value) { return value_of(limit) != 0 && value > value_of(limit); }

thread_local Recording* recording = nullptr;

struct FakeEvent {
  CUstream_st* stream = nullptr;
  std::int64_t place = 0;

  /// Throws once it has come if the move before it failed, of which nobody else is told.
  bool ask() const {
    if (stream->executed < place) device().step(*stream);
    if (stream->executed < place) return false;
    if (stream->failed.erase(place) != 0) {
      throw GpuError("cudaEventQuery", launch_failure, "the fake device was told to fail");
    }
    return true;
  }
};

}  // namespace

Hints last_hints() {
  const Lock lock(device().mutex);
  return device().hints;
}

void enqueue(const Moves& moves, Stream stream) {
  for (const Move& move : moves) {
    const Lock lock(device().mutex);
    const gpu::Side to = move.to.get(), from = move.from.get();
    if (to.plan != nullptr || from.plan != nullptr) device().hints = gpu::hints_of(to.plan, from.plan);
  }
  if (recording != nullptr) {
    recording->moves.insert(recording->moves.end(), moves.begin(), moves.end());
    return;
  }
  enqueue_work(
      [moves] {
        for (const Move& move : moves) {
          if (move.range.begin != move.range.end)
            engine::move_on_host(move.to.get(), move.from.get(), move.range);
        }
      },
      stream);
}

void enqueue_work(const std::function<void()>& work, Stream stream) {
  const Lock lock(device().mutex);
  if (device().fails(DeviceFailure::launch)) {
    throw GpuError("cudaLaunchKernel", launch_failure, "the fake device was told to fail");
  }
  CUstream_st& queue = device().stream(stream);
  ++queue.enqueued;
  ++device().under_way;
  ++device().launches;
  if (device().fails(DeviceFailure::execution)) {
    queue.failed.insert(queue.enqueued);
    queue.work.emplace_back([] {});
    return;
  }
  queue.work.push_back(work);
}

Recording::Recording() { recording = this; }

Recording::~Recording() { recording = nullptr; }

DeviceMemory::DeviceMemory(std::byte* first, std::size_t bytes) : first_(first) {
  const Lock lock(device().mutex);
  device().memory[first] = {bytes, MemoryKind::device};
}

DeviceMemory::~DeviceMemory() {
  const Lock lock(device().mutex);
  device().memory.erase(first_);
}

FailingDevice::FailingDevice(DeviceFailure what, int nth) {
  const Lock lock(device().mutex);
  device().failing = what;
  device().until_failure = nth;
  device().failed = false;
}

FailingDevice::~FailingDevice() {
  const Lock lock(device().mutex);
  device().until_failure = 0;
}

bool FailingDevice::happened() const {
  const Lock lock(device().mutex);
  return device().failed;
}

std::size_t moves_under_way() {
  const Lock lock(device().mutex);
  return device().under_way;
}

std::size_t pinned_buffers() {
  const Lock lock(device().mutex);
  return device().pinned;
}

}  // namespace typewarp::test

namespace typewarp::gpu {

using test::device;
using test::DeviceFailure;
using test::enqueue;
using test::FakeEvent;
using test::launch_failure;
using test::Lock;
using test::Move;
using test::Moves;
using test::out_of_memory;
using test::OwnedSide;
using test::the_device;

PointerInfo pointer_info(const void* pointer) {
  const Lock lock(device().mutex);
  const auto* const range = device().holding(static_cast<const std::byte*>(pointer), 1);
  if (range == nullptr) return {};
  return {range->kind, range->kind == MemoryKind::device ? the_device : -1};
}

Stream private_stream(int, StreamRole role, Priority) {
  return &device().stream_roles[static_cast<std::size_t>(role)];
}

void copy(const Side& destination, const Side& source, ByteRange range, const LaunchContext& context) {
  prepare(destination, the_device);
  test::check_reach(destination, range);
  test::check_reach(source, range);
  enqueue({{OwnedSide(destination), OwnedSide(source), range}}, context.stream);
}

struct BatchKernels::State {
  std::vector<std::pair<OwnedSide, BatchMember>> members;
};

BatchKernels::BatchKernels(const std::vector<BatchMember>& members, int, Use)
    : state_(std::make_unique<State>()) {
  for (const BatchMember& member : members) state_->members.emplace_back(member.user, member);
}

BatchKernels::~BatchKernels() = default;

void BatchKernels::pack(const LaunchContext& context) const {
  Moves moves;
  for (const auto& [user, member] : state_->members) {
    moves.push_back({OwnedSide({nullptr, member.bytes, member.packed}), user, {0, member.bytes}});
  }
  enqueue(moves, context.stream);
}

void BatchKernels::unpack(const LaunchContext& context) const {
  Moves moves;
  for (const auto& [user, member] : state_->members) {
    moves.push_back({user, OwnedSide({nullptr, member.bytes, member.packed}), {0, member.bytes}});
  }
  enqueue(moves, context.stream);
}

struct CopyBatch::State {
  Moves moves;
};

CopyBatch::CopyBatch(int) : state_(std::make_unique<State>()) {}

CopyBatch::~CopyBatch() = default;

bool CopyBatch::add(const Side& destination, const Side& source, std::int64_t bytes) {
  prepare(destination, the_device);
  const Lock lock(device().mutex);
  if (device().fails(DeviceFailure::preparation)) {
    throw GpuError("cudaMalloc", launch_failure, "the fake device was told to fail");
  }
  if (test::beyond(test::Quirk::short_batches, state_->moves.size() + 1)) return false;
  state_->moves.push_back({OwnedSide(destination), OwnedSide(source), {0, bytes}});
  return true;
}

void CopyBatch::remove(int number) noexcept { state_->moves[static_cast<std::size_t>(number)].range = {}; }

int CopyBatch::size() const noexcept { return static_cast<int>(state_->moves.size()); }

void CopyBatch::clear() noexcept { state_->moves.clear(); }

void CopyBatch::launch(const LaunchContext& context) const { enqueue(state_->moves, context.stream); }

std::uint64_t launches() noexcept {
  const Lock lock(device().mutex);
  return device().launches;
}

PinnedBuffer::PinnedBuffer(std::int64_t bytes) : capacity_(bytes) {
  const Lock lock(device().mutex);
  if (test::beyond(test::Quirk::scarce_pinned, static_cast<std::size_t>(bytes))) {
    throw GpuError("cudaHostAlloc", out_of_memory, "the fake device was told to have less");
  }
  data_ = new std::byte[static_cast<std::size_t>(bytes)];
  ++device().pinned;
  device().memory[data_] = {static_cast<std::size_t>(bytes), MemoryKind::pinned};
}

PinnedBuffer::~PinnedBuffer() {
  if (data_ == nullptr) return;
  const Lock lock(device().mutex);
  --device().pinned;
  device().memory.erase(data_);
  delete[] data_;
}

Event::Event(int) {
  const Lock lock(device().mutex);
  if (device().fails(DeviceFailure::event)) {
    throw GpuError("cudaEventCreate", launch_failure, "the fake device was told to fail");
  }
  event_ = new FakeEvent;
}

Event::Event(int on, Stream stream) : Event(on) { record(stream); }

Event::~Event() { delete static_cast<FakeEvent*>(event_); }

void Event::record(Stream stream) {
  const Lock lock(device().mutex);
  auto& event = *static_cast<FakeEvent*>(event_);
  event.stream = &device().stream(stream);
  event.place = event.stream->enqueued;
}

void Event::follow(Stream stream, const Enqueue& enqueue) {
  try {
    enqueue({the_device, stream});
  } catch (...) {
    record(stream);
    throw;
  }
  record(stream);
}

bool Event::done() const {
  const Lock lock(device().mutex);
  test::count_question();
  return static_cast<const FakeEvent*>(event_)->ask();
}

OwnStream::OwnStream(int) : stream_(new CUstream_st) {}

OwnStream::~OwnStream() { delete static_cast<CUstream_st*>(stream_); }

DeviceAllocation::DeviceAllocation(int, std::int64_t bytes, Storing)
    : data_(new std::byte[static_cast<std::size_t>(bytes)]) {
  const Lock lock(device().mutex);
  device().memory[data_] = {static_cast<std::size_t>(bytes), MemoryKind::device};
}

DeviceAllocation::~DeviceAllocation() {
  const Lock lock(device().mutex);
  device().memory.erase(data_);
  delete[] data_;
}

const DeviceName& device_name(int) {
  static const DeviceName the_name = [] {
    DeviceName name{};
    const pid_t process = getpid();
    if (test::value_of(test::Quirk::own_names) != 0) std::memcpy(name.data(), &process, sizeof(process));
    return name;
  }();
  return the_name;
}

bool device_has(int, const SharedMemory&) { return true; }

void tell_of_sharing(int) {}

Sharing sharing(int) noexcept { return Sharing::alone; }

bool suits_copy_engines(const Side&, std::int64_t, int) { return false; }

bool copy_by_engines(const Side&, const Side&, ByteRange, const LaunchContext&) { return false; }

std::optional<SharedMemory> export_memory(const void* address, std::int64_t bytes, std::string*) {
  const Lock lock(device().mutex);
  const auto* const first = static_cast<const std::byte*>(address);
  if (test::value_of(test::Quirk::exports) == 0 || device().holding(first, bytes) == nullptr)
    return std::nullopt;
  const auto& [begin, range] = *std::prev(device().memory.upper_bound(first));
  SharedMemory name{};
  name.process[0] = static_cast<std::uint64_t>(getpid());
  name.base = reinterpret_cast<std::uint64_t>(begin);
  name.size = static_cast<std::int64_t>(range.bytes);
  name.offset = first - begin;
  return name;
}

}  // namespace typewarp::gpu
