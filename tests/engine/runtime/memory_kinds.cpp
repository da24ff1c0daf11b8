// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"

#include <typewarp/host.hpp>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace typewarp::test {
namespace {

void require(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

constexpr std::size_t page = 4096;

class KindMemory final : public Memory {
 public:
  KindMemory(Source source, std::int64_t bytes) : source_(source), bytes_(static_cast<std::size_t>(bytes)) {
    // A type without data still gets an address that can be told apart.
    const std::size_t room = bytes_ == 0 ? 1 : bytes_;
    void* address = nullptr;
    switch (source_) {
      case Source::pageable:
      case Source::registered:
        // Pages of its own, because pages are what is registered.
        ordinary_.reset(std::aligned_alloc(page, (room + page - 1) / page * page));
        address = ordinary_.get();
        if (source_ == Source::registered) require(cudaHostRegister(address, room, cudaHostRegisterDefault));
        break;
      case Source::pinned:
        require(cudaHostAlloc(&address, room, cudaHostAllocDefault));
        break;
      case Source::managed:
        require(cudaMallocManaged(&address, room, cudaMemAttachGlobal));
        break;
      case Source::device:
        require(cudaMalloc(&address, room));
        break;
    }
    data_ = static_cast<std::byte*>(address);
  }
  ~KindMemory() override {
    cudaError_t status = cudaDeviceSynchronize();
    switch (source_) {
      case Source::pageable:
        break;
      case Source::registered:
        status = cudaHostUnregister(data_);
        break;
      case Source::pinned:
        status = cudaFreeHost(data_);
        break;
      case Source::managed:
      case Source::device:
        status = cudaFree(data_);
        break;
    }
    EXPECT_CUDA(status);
  }

  std::byte* data() override { return data_; }
  void write(std::span<const std::byte> bytes) override {
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyDefault));
    require(cudaDeviceSynchronize());
  }
  void read(std::span<std::byte> bytes) override {
    require(cudaDeviceSynchronize());
    require(cudaMemcpy(bytes.data(), data_, bytes.size(), cudaMemcpyDefault));
  }

 private:
  Source source_;
  std::size_t bytes_;
  std::unique_ptr<void, decltype(&std::free)> ordinary_{nullptr, &std::free};
  std::byte* data_ = nullptr;
};

}  // namespace

int devices() {
  int count = 0;
  return gpu_present() && cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

const char* name(Source source) noexcept {
  switch (source) {
    case Source::pageable:
      return "pageable";
    case Source::pinned:
      return "pinned";
    case Source::registered:
      return "registered";
    case Source::managed:
      return "managed";
    case Source::device:
      return "device";
  }
  return "unknown";
}

std::unique_ptr<Memory> allocate(Source source, std::int64_t bytes) {
  return std::make_unique<KindMemory>(source, bytes);
}

OwnStream::OwnStream() {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  stream_ = stream;
}

OwnStream::~OwnStream() { EXPECT_CUDA(cudaStreamDestroy(stream_)); }

void OwnStream::wait() const { require(cudaStreamSynchronize(stream_)); }

Gate::Gate(Stream stream) { require(cudaLaunchHostFunc(stream, &Gate::hold, this)); }

void Gate::hold(void* gate) {
  auto& self = *static_cast<Gate*>(gate);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!self.open_ && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  self.passed_ = true;
}

void warm_up() {
  const OwnStream stream;
  OneItem item(vector(4, 1, 2, Named::int_));
  item.fill(0);
  item.pack(stream.get());
  stream.wait();
}

std::vector<std::byte> noise(std::int64_t count, std::uint32_t seed) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  std::uint32_t state = seed * 2654435761u + 1;
  for (std::byte& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::byte>(state >> 24);
  }
  return bytes;
}

std::vector<std::byte> contents(Memory& memory, std::int64_t bytes) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  memory.read(result);
  return result;
}

std::vector<std::byte> packed_on_host(const std::byte* buffer, std::int64_t count, const Plan& plan) {
  const std::int64_t bytes = count * plan.size();
  std::vector<std::byte> packed(static_cast<std::size_t>(bytes));
  host::pack(buffer, count, plan, packed.data(), {0, bytes});
  return packed;
}

}  // namespace typewarp::test
