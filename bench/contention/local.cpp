// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "local.hpp"

#include "check.hpp"

#include <algorithm>

namespace typewarp::contention {
namespace {

using bench::check;

std::shared_ptr<CUstream_st> make_stream(bool highest_priority) {
  int lowest = 0;
  int highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, highest_priority ? highest : 0),
        "cudaStreamCreateWithPriority");
  return {stream, [](cudaStream_t s) { cudaStreamDestroy(s); }};
}

std::shared_ptr<CUevent_st> make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "cudaEventCreate");
  return {event, [](cudaEvent_t e) { cudaEventDestroy(e); }};
}

double elapsed_us(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, from, to), "cudaEventElapsedTime");
  return 1e3 * milliseconds;
}

}  // namespace

Local::Local(bool highest_priority)
    : stream_(make_stream(highest_priority)), begin_(make_event()), end_(make_event()) {}

void Local::enqueue() {
  interval_ = {now_us(), 0, 0};
  check(cudaEventRecord(begin_.get(), stream_.get()), "cudaEventRecord");
  work_(stream_.get());
  check(cudaEventRecord(end_.get(), stream_.get()), "cudaEventRecord");
}

bool Local::is_done() {
  if (interval_.end_us > 0) return true;
  const cudaError_t state = cudaEventQuery(end_.get());
  if (state == cudaErrorNotReady) return false;
  check(state, "cudaEventQuery");
  interval_.end_us = now_us();
  return true;
}

Interval Local::interval() const {
  return {interval_.begin_us, interval_.end_us, elapsed_us(begin_.get(), end_.get())};
}

double both_us(const Local& a, const Local& b) {
  double longest = 0;
  for (const Local* from : {&a, &b}) {
    for (const Local* to : {&a, &b})
      longest = std::max(longest, elapsed_us(from->begin_.get(), to->end_.get()));
  }
  return longest;
}

double behind_us(const Local& first, const Local& second) {
  const double enqueued_us = second.interval_.begin_us - first.interval_.begin_us;
  return elapsed_us(first.begin_.get(), second.end_.get()) - enqueued_us;
}

}  // namespace typewarp::contention
