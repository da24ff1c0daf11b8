// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_communicator.hpp"

#include "engine/device/gpu.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job_member.hpp"
#include "transport/mpi/wait_loop.hpp"

#include <typewarp/error.hpp>

#include <utility>

namespace typewarp::interpose::nccl {

bool CommunicatorEnds::add(const std::function<void()>& end) noexcept try {
  const std::lock_guard lock(mutex_);
  std::erase_if(under_way_, [](const std::future<void>& each) {
    return each.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  under_way_.reserve(under_way_.size() + 1);
  under_way_.push_back(std::async(std::launch::async, end));
  return true;
} catch (const std::exception&) {
  return false;
}

void CommunicatorEnds::wait() noexcept {
  std::vector<std::future<void>> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(under_way_);
  }
  for (const std::future<void>& each : all) each.wait();
}

Communicator::~Communicator() {
  const auto end = [api = &library_.api, handle = handle_, device = device_, failed = failed_,
                    stream = std::shared_ptr<gpu::OwnStream>(std::move(stream_))]() mutable {
    try {
      const gpu::DeviceGuard guard(device);
      failed ? api->ncclCommAbort(handle) : api->ncclCommDestroy(handle);
      stream.reset();
    } catch (const GpuError&) {
      return;  // its driver is gone, and all with it
    }
  };
  CommunicatorEnds* const ends = JobMember<CommunicatorEnds>::current();
  if (ends != nullptr && ends->add(end)) return;
  auto here = end;
  here();
}

void Communicator::check(Result result, const char* call) const {
  while (result == Result::in_progress) library_.api.ncclCommGetAsyncError(handle_, &result);
  if (result == Result::success) return;
  const char* const more = library_.api.ncclGetLastError(handle_);
  throw NcclError(std::string(call) + ": " + library_.api.ncclGetErrorString(result) +
                  (more != nullptr && *more != '\0' ? std::string(": ") + more : std::string()));
}

Communicator::Turn::Turn(const Communicator& of, Stream before) {
  const int device = gpu::stream_device(before);
  const gpu::Event point(device < 0 ? of.device_ : device, before);
  point.hold(of.stream());
  guard_.emplace(of.device_);
}

void Communicator::wait(std::chrono::milliseconds limit) {
  const gpu::Event done(device_, stream());
  const auto begin = std::chrono::steady_clock::now();
  transport::WaitLoop loop;
  Result state = Result::success;
  while (!done.done()) {
    if (!loop.again()) continue;
    check(library_.api.ncclCommGetAsyncError(handle_, &state), "ncclCommGetAsyncError");
    if (state != Result::success && state != Result::in_progress) break;
    if (limit.count() != 0 && std::chrono::steady_clock::now() - begin > limit) {
      throw TimeLimitExceeded("typewarp: a collective call by NCCL made no progress for as long as " +
                                  std::to_string(limit.count()) + " ms",
                              MPI_ANY_SOURCE);
    }
  }
  check(library_.api.ncclCommGetAsyncError(handle_, &state), "ncclCommGetAsyncError");
  check(state, "a collective call");
}

}  // namespace typewarp::interpose::nccl
