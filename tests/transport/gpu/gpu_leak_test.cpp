// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Communicators and Transports that carry messages of device memory, and go: what a process and its devices
// can run out of stays as it was.

#include "engine/device/gpu.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "transport/gpu/gpu_everywhere.hpp"
#include "transport/protocol_fixture.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace typewarp {
namespace {

using test::Memory;
using test::ProtocolTest;
using test::Source;

constexpr std::int64_t bytes = std::int64_t{1} << 20;  // long enough for chunks of the device
/// What the MPI and the driver may come to need meanwhile.
constexpr std::int64_t host_tolerance = std::int64_t{32} << 20;
/// What other programs on the device may come to need: less than the chunks of a hundred Transports.
constexpr std::int64_t device_tolerance = std::int64_t{8} << 30;

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

/// Bytes of host memory that the process has in use, by /proc/self/statm.
std::int64_t resident() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t pages = 0;
  statm >> all >> pages;
  return pages * 4096;
}

std::int64_t free_on_device() {
  std::size_t free = 0;
  std::size_t total = 0;
  EXPECT_CUDA(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

class GpuLeaks : public ProtocolTest {
 protected:
  struct Held {
    std::ptrdiff_t files = entries("/proc/self/fd");
    std::ptrdiff_t threads = entries("/proc/self/task");
    std::int64_t mapped_open = gpu::imports().open;
    std::int64_t mapped_held = gpu::imports().held;
    std::int64_t host = resident();
  };

  void SetUp() override {
    ProtocolTest::SetUp();
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    test::warm_up();
    for (const Source kind : {Source::device, Source::pageable}) {
      sent_.push_back(test::allocate(kind, 2 * bytes));
      received_.push_back(test::allocate(kind, 2 * bytes));
    }
  }

  /// Every two kinds of memory: read directly, in fragments through pinned chunks, by the MPI.
  void exchange(MPI_Comm comm) const {
    const Plan plan = commit(vector(bytes / 8, 1, 2, Named::double_));
    for (const auto& from : sent_) {
      for (const auto& to : received_) {
        sendrecv(from->data(), 1, plan, partner(), 0, to->data(), 1, plan, partner(), 0, comm, nullptr);
      }
    }
  }

  void exchange_on_a_copy() const {
    MPI_Comm copy = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(comm_, &copy), MPI_SUCCESS);
    exchange(copy);
    MPI_Comm_free(&copy);
  }

  void live_and_go() {
    start({});
    exchange_on_a_copy();
    stop();
  }

  void expect_same(const Held& before) const {
    MPI_Barrier(comm_);
    const Held now;
    EXPECT_EQ(now.files, before.files);
    EXPECT_EQ(now.threads, before.threads);
    EXPECT_EQ(now.mapped_open, before.mapped_open);
    EXPECT_EQ(now.mapped_held, before.mapped_held);
    EXPECT_LE(now.host, before.host + host_tolerance);
  }

  /// Other ranks on the device may still be about to give memory back.
  static void expect_device_memory(std::int64_t before) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (free_on_device() + device_tolerance < before && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_GE(free_on_device() + device_tolerance, before);
  }

 private:
  std::vector<std::unique_ptr<Memory>> sent_, received_;
};

TEST_F(GpuLeaks, NothingOfCommunicatorsThatCameAndWent) {
  start({});
  exchange(comm_);
  exchange_on_a_copy();
  MPI_Barrier(comm_);
  const Held before;
  for (int i = 0; i < 1000; ++i) exchange_on_a_copy();
  expect_same(before);
}

TEST_F(GpuLeaks, NothingOfTransportsThatCameAndWent) {
  live_and_go();
  live_and_go();
  MPI_Barrier(comm_);
  const Held before;
  const std::int64_t free_before = free_on_device();
  for (int i = 0; i < 100; ++i) live_and_go();
  expect_same(before);
  expect_device_memory(free_before);
}

}  // namespace
}  // namespace typewarp
