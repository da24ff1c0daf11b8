// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rates.hpp"

#include "check.hpp"
#include "measure.hpp"

namespace typewarp::bench {
namespace {

__global__ void empty_kernel() {}

constexpr std::int64_t copied = std::int64_t{1} << 30;
constexpr std::int64_t sent = std::int64_t{64} << 20;

double microseconds(std::byte* to, const std::byte* from, std::int64_t bytes, const Queue& queue) {
  return measure([&] {
           check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, queue.get()),
                 "cudaMemcpyAsync");
           queue.wait();
         })
      .median_us;
}

}  // namespace

Rates measure_rates(Pool& pool, const Queue& queue) {
  std::byte* const device = pool.layout.reserve(2 * copied);
  std::byte* const host = pool.pinned.reserve(sent);
  Rates rates;
  const double copy_us = microseconds(device + copied, device, copied, queue);
  const double to_host_us = microseconds(host, device, sent, queue);
  const double to_device_us = microseconds(device, host, sent, queue);
  // Last, when the clocks are up: what is high here makes every floor low.
  rates.launch_us = measure(
                        [&] {
                          empty_kernel<<<1, 1, 0, queue.get()>>>();
                          queue.wait();
                        },
                        {.least = 2000})
                        .median_us;
  rates.copy = 2 * static_cast<double>(copied) / (copy_us - rates.launch_us);
  rates.to_host = static_cast<double>(sent) / (to_host_us - rates.launch_us);
  rates.to_device = static_cast<double>(sent) / (to_device_us - rates.launch_us);
  return rates;
}

JsonObject Rates::json() const {
  constexpr double per_gigabyte = 1e3;
  return JsonObject()
      .add("copy_gb_per_s", copy / per_gigabyte)
      .add("to_host_gb_per_s", to_host / per_gigabyte)
      .add("to_device_gb_per_s", to_device / per_gigabyte)
      .add("launch_us", launch_us);
}

}  // namespace typewarp::bench
