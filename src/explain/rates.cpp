// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/device/gpu.hpp"
#include "engine/runtime/inventory.hpp"
#include "explain/measure.hpp"

#include <typewarp/layout.hpp>

#include <algorithm>
#include <array>

namespace typewarp {
namespace explanation {
namespace {

constexpr std::int64_t copied = std::int64_t{256} << 20;  // some times what a GPU's cache holds
constexpr std::int64_t sent = std::int64_t{64} << 20;
constexpr double bytes_per_us_of_a_gb_per_s = 1000;

struct Recorded {
  std::string_view name, gpu;
  double copy, to_host, to_device, launch_us;
  std::string_view doubt = "";

  std::string told() const { return std::string(gpu).append(doubt); }
};
constexpr double launch_of_h200 = 7.922;
constexpr std::string_view published = " (peaks as published, and the launch of an H200: not measured)";
constexpr std::array recorded_rates{
    Recorded{"h200", "NVIDIA H200", 4276.1, 55.29, 55.502, launch_of_h200},    // bench/results/h200-1gpu
    Recorded{"h100", "NVIDIA H100 80GB HBM3", 3011.1, 55.377, 55.231, 9.047},  // 2026-11-26
    // One of its two dies, which is a device: half of 3.2768 TB/s, and Infinity Fabric to the host.
    Recorded{"mi250x", "AMD Instinct MI250X", 1638.4, 36, 36, launch_of_h200, published},
    Recorded{"mi300x", "AMD Instinct MI300X", 5300, 64, 64, launch_of_h200, published}  // PCIe 5.0 x16
};

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

double us(std::int64_t bytes, double gb_per_s) {
  return static_cast<double>(bytes) / gb_per_s / bytes_per_us_of_a_gb_per_s;
}

std::string device_name(int device) {
  const gpu::Inventory inventory = gpu::inventory();
  const auto index = static_cast<std::size_t>(device);
  return index < inventory.devices.size() ? inventory.devices[index].name : "";
}

/// Rates are those of contiguous bytes (256 MiB within the device, 64 MiB over the link), which the engine
/// gives to copy engines; the launch is the move of one byte within the device, by a kernel.
GpuRates measured_on(int device) {
  const gpu::DeviceAllocation memory(device, 2 * copied);
  const gpu::PinnedBuffer host(sent);
  const Stream stream = gpu::private_stream(device);
  std::byte* const begin = memory.data();
  const double copy_us = move_us(begin, begin + copied, copied, stream);
  const double to_host_us = move_us(begin, host.data(), sent, stream);
  const double to_device_us = move_us(host.data(), begin, sent, stream);
  warm_up(begin, stream);
  GpuRates rates;
  rates.gpu = device_name(device);
  rates.launch_us = move_us(begin, begin + copied, 1, stream, {.least = 2001, .most = 2001});
  rates.copy_gb_per_s = gb_per_s(2 * copied, copy_us - rates.launch_us);
  rates.to_host_gb_per_s = gb_per_s(sent, to_host_us - rates.launch_us);
  rates.to_device_gb_per_s = gb_per_s(sent, to_device_us - rates.launch_us);
  return rates;
}

}  // namespace

GpuRates rates_of(const ExplainOptions& options) {
  if (options.machine.empty() && options.measure && gpu::present()) return GpuRates::measured(options.device);
  const std::string name = options.machine.empty() ? "h200" : options.machine;
  if (std::optional<GpuRates> rates = GpuRates::recorded(name)) return *rates;
  std::string known;
  for (const Recorded& one : recorded_rates) known.append(known.empty() ? "" : ", ").append(one.name);
  throw InvalidArgument("typewarp::explain", "machine", name, "must be one of " + known);
}

TransferFloor floor_of(const GpuRates& rates, const Layout& layout, bool packs, MemoryKind packed) {
  const std::int64_t bytes = layout.size();
  TransferFloor floor{};
  floor.layout_bytes = segment_bytes * touched_segments(layout, 0);
  if (packed == MemoryKind::device) {
    floor.packed_bytes = (bytes + segment_bytes - 1) / segment_bytes * segment_bytes;
  } else {
    floor.link_bytes = bytes;
  }
  floor.link_us = us(floor.link_bytes, packs ? rates.to_host_gb_per_s : rates.to_device_gb_per_s);
  floor.memory_us = us(floor.layout_bytes + floor.packed_bytes, rates.copy_gb_per_s);
  floor.launch_us = rates.launch_us;
  floor.us = std::max(floor.memory_us, floor.link_us) + floor.launch_us;
  return floor;
}

}  // namespace explanation

std::optional<GpuRates> GpuRates::recorded(std::string_view gpu) {
  for (const explanation::Recorded& one : explanation::recorded_rates) {
    if (gpu == one.name || gpu == one.gpu || gpu == one.told())
      return GpuRates{one.told(), one.copy, one.to_host, one.to_device, one.launch_us};
  }
  return std::nullopt;
}

std::optional<GpuRates> GpuRates::recorded_here() {
  return gpu::present() ? recorded(explanation::device_name(0)) : std::nullopt;
}

GpuRates GpuRates::measured(int device) { return explanation::measured_on(device); }

}  // namespace typewarp
