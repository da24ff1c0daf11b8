// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields in memory of the fake device, which works late.

#include "engine/device/gpu.hpp"
#include "halo/device.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/fake_device/fake_moves.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace typewarp::test {
namespace {

void finish() { gpu::Event(0, field_stream()).wait(); }

/// Memory of the host that counts as other memory.
template <typename Owner>
class FakeMemory final : public Memory {
 public:
  template <typename... Arguments>
  explicit FakeMemory(Arguments&&... arguments) : owner_(std::forward<Arguments>(arguments)...) {}

  std::byte* data() override { return owner_.data(); }
  void write(std::span<const std::byte> bytes) override {
    finish();
    std::ranges::copy(bytes, data());
  }
  void read(std::span<std::byte> bytes) override {
    finish();
    std::copy_n(data(), bytes.size(), bytes.begin());
  }

 private:
  Owner owner_;
};

class OfDevice {
 public:
  explicit OfDevice(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), device_(bytes_.data(), bytes_.size()) {}
  std::byte* data() { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
  DeviceMemory device_;
};

}  // namespace

std::unique_ptr<Memory> allocate_field(std::int64_t bytes) {
  return std::make_unique<FakeMemory<OfDevice>>(bytes);
}
std::unique_ptr<Memory> allocate_pinned(std::int64_t bytes) {
  return std::make_unique<FakeMemory<gpu::PinnedBuffer>>(bytes);
}
Stream field_stream() { return nullptr; }

void enqueue_copy(void* to, const void* from, std::size_t bytes) {
  enqueue_work([=] { std::memcpy(to, from, bytes); }, field_stream());
}

struct DeviceGraph::State {
  Moves moves;
};

DeviceGraph::DeviceGraph(const std::function<void()>& enqueue) : state_(std::make_unique<State>()) {
  const CapturedStreams captured;
  const Recording recording;
  enqueue();
  state_->moves = recording.moves;
}

DeviceGraph::~DeviceGraph() = default;

void DeviceGraph::replay() const { enqueue(state_->moves, field_stream()); }

}  // namespace typewarp::test
