// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/device_users.hpp"

#include "engine/device/gpu.hpp"
#include "engine/runtime/device.hpp"
#include "engine/runtime/gpu_sharing.hpp"

#include <array>
#include <bit>
#include <exception>

namespace typewarp::interpose {
namespace {

/// Not 0. The names are random numbers.
std::uint64_t short_name(const gpu::DeviceName& name) noexcept {
  const auto [first, second] = std::bit_cast<std::array<std::uint64_t, 2>>(name);
  const std::uint64_t short_one = first ^ second;
  return short_one != 0 ? short_one : 1;
}

}  // namespace

void DeviceUsers::look_at_all(const void* address) noexcept {
  try {
    if (!gpu::on_device(address)) return;
    const int device = pointer_info(address).device;
    const std::uint64_t own = short_name(gpu::device_name(device));
    std::atomic<std::uint64_t>& told_by_this = words()[own_];
    if (told_by_this.load(std::memory_order_relaxed) != own)
      told_by_this.store(own, std::memory_order_relaxed);
    bool all_have_told = true;
    bool is_shared = false;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const std::uint64_t told = words()[rank].load(std::memory_order_relaxed);
      all_have_told = all_have_told && told != 0;
      is_shared = is_shared || (rank != own_ && told == own);
    }
    if (is_shared) gpu::tell_of_sharing(device);
    if (is_shared || all_have_told) is_over_.store(true, std::memory_order_relaxed);
  } catch (const std::exception&) {  // it only helps to choose the fastest way
    is_over_.store(true, std::memory_order_relaxed);
  }
}

}  // namespace typewarp::interpose
