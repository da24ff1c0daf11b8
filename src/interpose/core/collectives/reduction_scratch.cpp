// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/collectives/reduction_scratch.hpp"

#include "engine/runtime/memory.hpp"

#include <typewarp/error.hpp>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace typewarp::interpose {
namespace {

struct Kept {
  std::unique_ptr<gpu::DeviceBuffer> memory;
  bool is_taken = false;
};

std::atomic<std::int64_t> agreed = 0;  ///< bytes

std::mutex mutex;
std::map<int, Kept>& of_devices = *new std::map<int, Kept>;  // a program may exit without MPI_Finalize

std::byte* taken_of(int device) {
  const std::lock_guard lock(mutex);
  Kept& kept = of_devices[device];
  if (kept.is_taken) throw Error("typewarp: another call has the memory for partial results");
  if (!kept.memory) kept.memory = std::make_unique<gpu::DeviceBuffer>(device, ReductionScratch::most_bytes());
  kept.is_taken = true;
  return kept.memory->data();
}

}  // namespace

std::int64_t ReductionScratch::most_bytes() noexcept { return agreed.load(std::memory_order_relaxed); }

ReductionScratch::ReductionScratch(int device, std::int64_t bytes)
    : device_(device),
      of_host_(device == host ? transport::HostBuffer(bytes) : transport::HostBuffer()),
      data_(device == host ? of_host_.data() : taken_of(device)) {}

ReductionScratch::~ReductionScratch() {
  if (device_ == host) return;
  const std::lock_guard lock(mutex);
  of_devices[device_].is_taken = false;
}

void open_reduction_scratch(std::int64_t most_bytes) noexcept { agreed = most_bytes; }

void close_reduction_scratch() noexcept {
  agreed = 0;
  const std::lock_guard lock(mutex);
  of_devices.clear();
}

}  // namespace typewarp::interpose
