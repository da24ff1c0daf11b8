// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/rates.hpp"

#include "engine/device/gpu.hpp"
#include "explain/measure.hpp"

namespace typewarp::explanation {
namespace {

constexpr std::int64_t copied = std::int64_t{1} << 30;
constexpr std::int64_t sent = std::int64_t{64} << 20;
constexpr double bytes_per_us_of_a_gb_per_s = 1000;

double move_us(const std::byte* from, std::byte* to, std::int64_t bytes, Stream stream,
               const Effort& effort = {}) {
  const Plan plan = commit(contiguous(bytes, Named::byte));
  const auto call = [&] {
    pack(from, 1, plan, to, stream);
    finish(stream);
  };
  return median_us(call, effort);
}

/// Clocks go up while kernels run, which copies are not.
void warm_up(std::byte* memory, Stream stream) {
  constexpr std::int64_t rows = 1 << 20;
  const Plan plan = commit(vector(rows, 8, 64, Named::byte));
  const auto call = [&] {
    pack(memory, 1, plan, memory + copied, stream);
    finish(stream);
  };
  median_us(call, {.most = 100'000, .enough = std::chrono::milliseconds(300)});
}

double gb_per_s(std::int64_t bytes, double us) {
  return static_cast<double>(bytes) / us / bytes_per_us_of_a_gb_per_s;
}

}  // namespace

void measure_rates(MachineProfile& profile, int device) {
  const gpu::DeviceBuffer memory(device, 2 * copied);
  const gpu::PinnedBuffer host(sent);
  const Stream stream = gpu::private_stream(device);
  std::byte* const begin = memory.data();
  const double copy_us = move_us(begin, begin + copied, copied, stream);
  const double to_host_us = move_us(begin, host.data(), sent, stream);
  const double to_device_us = move_us(host.data(), begin, sent, stream);
  warm_up(begin, stream);
  profile.launch_us = move_us(begin, begin + copied, 1, stream, {.least = 2001, .most = 2001});
  profile.copy_gb_per_s = gb_per_s(2 * copied, copy_us - profile.launch_us);
  profile.to_host_gb_per_s = gb_per_s(sent, to_host_us - profile.launch_us);
  profile.to_device_gb_per_s = gb_per_s(sent, to_device_us - profile.launch_us);
}

}  // namespace typewarp::explanation
