// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace typewarp::gpu {

/// Makes host memory of others page-locked while this lives, so that every device addresses it.
class HostRegistration {
 public:
  /// Whole pages, which stay mapped until this is destroyed. May wait for devices. Throws GpuError.
  HostRegistration(std::byte* memory, std::int64_t bytes);
  HostRegistration& operator=(HostRegistration&&) = delete;
  /// Nothing may use the memory any more. May wait for devices.
  ~HostRegistration();

  /// Where a device has it. Throws GpuError.
  std::byte* on(int device) const;
  /// Leaves it page-locked: for the case that something may still use it that nobody can wait for.
  void abandon() noexcept { memory_ = nullptr; }

 private:
  std::byte* memory_;
};

}  // namespace typewarp::gpu
