// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields in memory of the fake device, which works late.

#include "halo/fields.hpp"
#include "transport/fake_device.hpp"

#include "engine/gpu/gpu.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::test {
namespace {

class FakeMemory final : public Memory {
 public:
  explicit FakeMemory(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), device_(bytes_.data(), bytes_.size()) {}

  std::byte* data() override { return bytes_.data(); }
  void write(std::span<const std::byte> bytes) override {
    finish();
    std::ranges::copy(bytes, bytes_.begin());
  }
  void read(std::span<std::byte> bytes) override {
    finish();
    std::copy_n(bytes_.begin(), bytes.size(), bytes.begin());
  }

 private:
  static void finish() { gpu::Event(0, field_stream()).wait(); }

  std::vector<std::byte> bytes_;
  DeviceMemory device_;
};

}  // namespace

std::unique_ptr<Memory> allocate_field(std::int64_t bytes) { return std::make_unique<FakeMemory>(bytes); }
Stream field_stream() { return nullptr; }

}  // namespace typewarp::test
