// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/reduction_scratch.hpp"

#include "interpose/core/job_member.hpp"

#include <typewarp/error.hpp>

namespace typewarp::interpose {

std::byte* ReductionScratchPool::take(int device) {
  const std::lock_guard lock(mutex_);
  OfDevice& kept = of_devices_[device];
  if (kept.is_taken) throw Error("typewarp: another call has the memory for partial results");
  if (!kept.memory) kept.memory = std::make_unique<gpu::DeviceAllocation>(device, most_bytes_);
  kept.is_taken = true;
  return kept.memory->data();
}

void ReductionScratchPool::give_back(int device) noexcept {
  const std::lock_guard lock(mutex_);
  of_devices_[device].is_taken = false;
}

namespace {

std::byte* taken_of(int device) {
  ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  if (pool == nullptr) throw Error("typewarp: the MPI has been finalized");
  return pool->take(device);
}

}  // namespace

std::int64_t ReductionScratch::most_bytes() noexcept {
  const ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  return pool != nullptr ? pool->most_bytes() : 0;
}

ReductionScratch::ReductionScratch(int device, std::int64_t bytes)
    : device_(device),
      of_host_(device == host ? transport::HostBuffer(bytes) : transport::HostBuffer()),
      data_(device == host ? of_host_.data() : taken_of(device)) {}

// A call that is left may end after the job.
ReductionScratch::~ReductionScratch() {
  ReductionScratchPool* const pool = JobMember<ReductionScratchPool>::current();
  if (device_ != host && pool != nullptr) pool->give_back(device_);
}

}  // namespace typewarp::interpose
