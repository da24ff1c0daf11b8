// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What of the fake device's engine is the same whatever the device has to do.

#include "engine/cuda/cuda.hpp"

#include <typewarp/error.hpp>

#include <unistd.h>

namespace typewarp::cuda {
namespace {

constexpr int the_device = 0;

[[noreturn]] void refuse(const char* call) { throw CudaError(call, 719, "not faked"); }

}  // namespace

bool built() noexcept { return true; }

bool present() noexcept { return true; }

int current_device() { return the_device; }

void make_current(int) {}

int stream_device(Stream stream) { return stream == nullptr ? -1 : the_device; }

bool capturing(Stream) { return false; }

bool can_reach(int, int) { return true; }

bool peers_may_touch(const void*) { return true; }

struct Replay::State {};

Replay::Replay(int, const std::function<void()>&, Completion) { refuse("Replay"); }

Replay::~Replay() = default;

void Replay::replace(const std::function<void()>&) { refuse("Replay::replace"); }

void Replay::launch(Stream) { refuse("Replay::launch"); }

bool Replay::done() { refuse("Replay::done"); }

void Replay::wait() { refuse("Replay::wait"); }

bool idle(Stream) { return false; }

std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int, std::string*) {
  if (memory.process[0] != static_cast<std::uint64_t>(getpid())) return std::nullopt;
  return ImportedMemory(reinterpret_cast<std::byte*>(memory.base), the_device, nullptr);
}

ImportedMemory::~ImportedMemory() = default;

ImportCount imports() noexcept { return {0, 0}; }

void close_imports() noexcept {}

}  // namespace typewarp::cuda
