// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Lets a core that is linked with the fake device (tests/transport/fake_device/fake_device.hpp) have the
// memory that programs tell of.

#include "fake_gpu.h"

#include "transport/fake_device/fake_device.hpp"
#include "transport/fake_device/fake_moves.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace typewarp::test {
namespace {

std::mutex mutex;
auto& memories = *new std::map<void*, std::unique_ptr<DeviceMemory>>;

const fake_gpu_device device{
    [](void* memory, std::size_t bytes) {
      const std::lock_guard lock(mutex);
      memories[memory] = std::make_unique<DeviceMemory>(static_cast<std::byte*>(memory), bytes);
    },
    [](void* memory) {
      const std::lock_guard lock(mutex);
      memories.erase(memory);
    },
    [](void* stream, fake_gpu_work work, void* data) { enqueue_work([=] { work(data); }, Stream(stream)); },
    [](char* text, std::size_t room) { std::snprintf(text, room, "%s", last_hints().to_string().c_str()); }};

// Each process has a device of its own, unless FAKE_GPU_SHARED is set. With FAKE_GPU_MAPPED others can map
// its memory.
[[gnu::constructor]] void plug_in() {
  using PlugIn = void(const fake_gpu_device*);
  if (auto* const to = reinterpret_cast<PlugIn*>(dlsym(RTLD_DEFAULT, "fake_gpu_plug_in"))) to(&device);
  if (std::getenv("FAKE_GPU_SHARED") == nullptr)
    quirk_of_device[static_cast<std::size_t>(Quirk::own_names)] = 1;
  if (std::getenv("FAKE_GPU_MAPPED") != nullptr)
    quirk_of_device[static_cast<std::size_t>(Quirk::exports)] = 2;
}

}  // namespace
}  // namespace typewarp::test

// What the library asks the driver of a program.
namespace typewarp::gpu {

bool in_use() noexcept { return true; }

bool on_device(const void* pointer) noexcept { return pointer_info(pointer).kind == MemoryKind::device; }

bool out_of_reach(const void* pointer) noexcept { return on_device(pointer); }

}  // namespace typewarp::gpu
