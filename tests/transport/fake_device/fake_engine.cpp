// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What of the fake device's engine is the same whatever the device has to do.

#include "transport/fake_device/fake_device.hpp"

#include "engine/runtime/displaced.hpp"
#include "engine/device/gpu.hpp"
#include "plan/locate.hpp"
#include "plan/state.hpp"
#include "transport/fake_device/fake_moves.hpp"
#include "transport/fake_device/fake_share.hpp"

#include <typewarp/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <string>

namespace typewarp::test {
namespace {

struct Held {
  enum class State { nothing, waiting, held, released };

  std::mutex mutex;
  std::condition_variable changed;
  State state = State::nothing;

  void become(State next) {
    const std::lock_guard lock(mutex);
    state = next;
    changed.notify_all();
  }
  void pass() {
    constexpr std::chrono::seconds patience{10};
    std::unique_lock lock(mutex);
    if (state != State::waiting) return;
    state = State::held;
    changed.notify_all();
    changed.wait_for(lock, patience, [&] { return state != State::held; });
    state = State::nothing;
  }
};

Held& held() {
  static Held& one = *new Held;
  return one;
}

std::atomic<int> questions = 0;
std::atomic<int> turns = 0;
std::atomic<std::uint64_t> launches_at_turn = 0;
std::atomic<int> events = 0;

}  // namespace

int questions_about_streams() { return questions; }

int turns_marked() { return turns; }

std::uint64_t launches_before_turn() { return launches_at_turn; }

int events_asked() { return events; }

void count_question() { ++events; }

HeldPreparation::HeldPreparation() { held().become(Held::State::waiting); }

HeldPreparation::~HeldPreparation() { release(); }

void HeldPreparation::await() const {
  std::unique_lock lock(held().mutex);
  held().changed.wait(lock, [] { return held().state != Held::State::waiting; });
}

bool HeldPreparation::holds() const {
  const std::lock_guard lock(held().mutex);
  return held().state == Held::State::held;
}

void HeldPreparation::release() { held().become(Held::State::released); }

void check_reach(const gpu::Side& side, ByteRange range) {
  if (side.plan == nullptr) return;
  constexpr int looked_at = 1000;       // runs
  constexpr int illegal_address = 700;  // cudaErrorIllegalAddress
  const std::byte* const base = gpu::displaced(side.address, side.plan->layout().offset);
  const plan::EncodingView view = plan::state_of(*side.plan).encoding.view();
  bool any = false, all = true;
  std::int64_t at = range.begin;
  for (int i = 0; i < looked_at && at < range.end; ++i) {
    const plan::Location found = plan::locate(view, side.plan->extent(), at);
    const bool is_known = gpu::pointer_info(base + found.offset).kind != MemoryKind::host;
    any = any || is_known;
    all = all && is_known;
    at += found.run;
  }
  if (any && !all) throw GpuError("cudaLaunchKernel", illegal_address, "the fake device does not reach it");
}

}  // namespace typewarp::test

namespace typewarp::gpu {
namespace {

constexpr int the_device = 0;

}  // namespace

bool built() noexcept { return true; }

bool present() noexcept { return true; }

bool has_context() noexcept { return true; }

int current_device() { return the_device; }

DeviceGuard::DeviceGuard(int) {}
DeviceGuard::~DeviceGuard() = default;
void make_current(int) {}

int stream_device(Stream stream) {
  ++test::questions;
  return stream == nullptr ? -1 : the_device;
}

bool capturing(Stream) {
  ++test::questions;
  return test::quirk_of_device[static_cast<std::size_t>(test::Quirk::captured_streams)] != 0;
}

bool can_reach(int, int) { return true; }

bool peers_may_touch(const void*) { return true; }
bool is_of_primary_context(const void*) { return true; }

void prepare(const Side& side, int) {
  if (side.plan != nullptr) test::held().pass();
}

void Event::wait() const {
  while (!done()) continue;
}

void Event::hold(Stream) const { wait(); }

void check_alive(int) {}

bool idle(Stream) {
  ++test::questions;
  ++test::turns;
  test::launches_at_turn = launches();
  return false;
}

std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int, std::string* reason) {
  if (memory.process[0] == static_cast<std::uint64_t>(getpid()))
    return ImportedMemory(reinterpret_cast<std::byte*>(memory.base) + memory.offset, the_device, nullptr);
  if (test::quirk_of_device[static_cast<std::size_t>(test::Quirk::exports)] < 2) return std::nullopt;
  char path[64];
  test::path_of_shared(path, sizeof path, static_cast<long>(memory.process[0]), memory.base);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  const auto bytes = static_cast<std::size_t>(memory.size);
  void* const mapped =
      file < 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0) close(file);
  if (mapped == MAP_FAILED) {
    if (reason != nullptr) *reason = std::string(path) + ": cannot be mapped";
    return std::nullopt;
  }
  const auto* const mapping = new std::span(static_cast<std::byte*>(mapped), bytes);
  return ImportedMemory(mapping->data() + memory.offset, the_device, mapping);
}

ImportedMemory::~ImportedMemory() {
  const auto* const mapping = static_cast<const std::span<std::byte>*>(mapping_);
  if (mapping == nullptr) return;
  munmap(mapping->data(), mapping->size());
  delete mapping;
}

ImportCount imports() noexcept { return {0, 0}; }

void close_imports() noexcept {}

}  // namespace typewarp::gpu
