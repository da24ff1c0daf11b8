// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/device.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/flags.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "engine/runtime/host_registration.hpp"
#include "engine/runtime/inventory.hpp"
#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/range.hpp"
#include "engine/runtime/refuse.hpp"
#include "engine/runtime/replay.hpp"
#include "engine/runtime/share.hpp"
#include "engine/runtime/stream.hpp"
#include "engine/runtime/stream_operations.hpp"

#include <typewarp/error.hpp>

namespace typewarp::gpu {

void refuse(std::string_view call) {
  constexpr int no_device = 100;  // cudaErrorNoDevice
  throw GpuError(call, no_device, "this library was built without a GPU engine");
}

bool built() noexcept { return false; }

bool present() noexcept { return false; }

Inventory inventory() { return {"", "", "this library was built without a GPU engine", {}}; }

PointerInfo pointer_info(const void*) { return {}; }

bool in_use() noexcept { return false; }

bool on_device(const void*) noexcept { return false; }

bool out_of_reach(const void*) noexcept { return false; }

bool has_context() noexcept { return false; }

int current_device() { refuse("typewarp::gpu::current_device"); }

DeviceGuard::DeviceGuard(int) { refuse("typewarp::gpu::DeviceGuard"); }
DeviceGuard::~DeviceGuard() = default;
void make_current(int) { refuse("typewarp::gpu::make_current"); }

int stream_device(Stream) { return -1; }

bool idle(Stream) { return false; }

void check_alive(int) {}

bool capturing(Stream) { return false; }

bool can_reach(int, int) { return false; }

bool peers_may_touch(const void*) { return false; }

bool is_of_primary_context(const void*) { return false; }

Stream private_stream(int, StreamRole, Priority) { refuse("typewarp::gpu::private_stream"); }

std::uint64_t allocation_number(const void*) noexcept { return 0; }

std::optional<SharedMemory> export_memory(const void*, std::int64_t, std::string* reason) {
  if (reason != nullptr) *reason = "this library was built without a GPU engine";
  return std::nullopt;
}

std::optional<ImportedMemory> import_memory(const SharedMemory&, int, std::string* reason) {
  if (reason != nullptr) *reason = "this library was built without a GPU engine";
  return std::nullopt;
}

const DeviceName& device_name(int) { refuse("typewarp::gpu::device_name"); }

bool device_has(int, const SharedMemory&) { return false; }

ImportedMemory::~ImportedMemory() = default;

ImportCount imports() noexcept { return {0, 0}; }

void close_imports() noexcept {}

void tell_of_sharing(int) { refuse("typewarp::gpu::tell_of_sharing"); }

Sharing sharing(int) noexcept { return Sharing::alone; }

struct DeviceFlags::State {};

DeviceFlags::DeviceFlags(int, int) { refuse("typewarp::gpu::DeviceFlags"); }

DeviceFlags::~DeviceFlags() = default;

Flag* DeviceFlags::at(int) const noexcept { return nullptr; }

std::int64_t DeviceFlags::bytes() const noexcept { return 0; }

void DeviceFlags::close() const { refuse("typewarp::gpu::DeviceFlags::close"); }

void DeviceFlags::abandon() noexcept {}

std::uint64_t launches() noexcept { return 0; }

PinnedBuffer::PinnedBuffer(std::int64_t) { refuse("typewarp::gpu::PinnedBuffer"); }

PinnedBuffer::~PinnedBuffer() = default;

HostRegistration::HostRegistration(std::byte*, std::int64_t) { refuse("typewarp::gpu::HostRegistration"); }

HostRegistration::~HostRegistration() = default;

std::byte* HostRegistration::on(int) const { refuse("typewarp::gpu::HostRegistration::on"); }

void StreamOperations::flush() { refuse("typewarp::gpu::StreamOperations::flush"); }

void require_stream_operations() { refuse("typewarp::gpu::require_stream_operations"); }

DeviceAllocation::DeviceAllocation(int, std::int64_t, Storing) { refuse("typewarp::gpu::DeviceAllocation"); }

DeviceAllocation::~DeviceAllocation() = default;

void clear(int, std::byte*, std::int64_t) { refuse("typewarp::gpu::clear"); }

Event::Event(int) { refuse("typewarp::gpu::Event"); }

Event::Event(int, Stream) { refuse("typewarp::gpu::Event"); }

void Event::record(Stream) { refuse("typewarp::gpu::Event::record"); }

Event::~Event() = default;

void Event::follow(Stream, const Enqueue&) { refuse("typewarp::gpu::Event::follow"); }

bool Event::done() const { refuse("typewarp::gpu::Event::done"); }

void Event::wait() const { refuse("typewarp::gpu::Event::wait"); }

void Event::hold(Stream) const { refuse("typewarp::gpu::Event::hold"); }

OwnStream::OwnStream(int) { refuse("typewarp::gpu::OwnStream"); }

OwnStream::~OwnStream() = default;

struct Replay::State {};

Replay::Replay(int, const Enqueue&, Follow) { refuse("typewarp::gpu::Replay"); }

Replay::~Replay() = default;

void Replay::replace(const Enqueue&) { refuse("typewarp::gpu::Replay::replace"); }

void Replay::launch(Stream, Priority) { refuse("typewarp::gpu::Replay::launch"); }

bool Replay::done() { refuse("typewarp::gpu::Replay::done"); }

void Replay::wait() { refuse("typewarp::gpu::Replay::wait"); }

ProfilerRange::ProfilerRange(const char*) noexcept {}

ProfilerRange::~ProfilerRange() = default;

}  // namespace typewarp::gpu
