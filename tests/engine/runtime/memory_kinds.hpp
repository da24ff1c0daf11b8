// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <typewarp/engine.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ostream>
#include <vector>

/// Fails the test with CUDA's text; evaluates the call once.
#define ASSERT_CUDA(call) ASSERT_STREQ(cudaGetErrorString(call), "no error")
#define EXPECT_CUDA(call) EXPECT_STREQ(cudaGetErrorString(call), "no error")

/// Leaves the test, visibly, on a machine without a GPU.
#define TYPEWARP_NEEDS_GPU() \
  if (!typewarp::gpu_present()) GTEST_SKIP() << "needs a GPU"

/// The same where there is only one.
#define TYPEWARP_NEEDS_TWO_GPUS() \
  if (typewarp::test::devices() < 2) GTEST_SKIP() << "needs two GPUs"

namespace typewarp::test {

/// GPUs that there are.
int devices();

/// How a test obtains memory; `registered` is cudaHostRegister over ordinary memory.
enum class Source { pageable, pinned, registered, managed, device };

const char* name(Source) noexcept;

/// How both sides of a move are obtained; printed as user_packed.
struct Kinds {
  Source user, packed;

  friend std::ostream& operator<<(std::ostream& out, const Kinds& kinds) {
    return out << name(kinds.user) << "_" << name(kinds.packed);
  }
};

/// Memory of that kind, freed with the object. Throws std::runtime_error with CUDA's text.
std::unique_ptr<Memory> allocate(Source source, std::int64_t bytes);

/// A nonblocking stream, so that nothing is ordered by the default stream's rules.
class OwnStream {
 public:
  OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream();

  Stream get() const noexcept { return stream_; }
  void wait() const;

 private:
  Stream stream_ = nullptr;
};

/// Holds a stream back until opened, so that a test sees whether a call waits for it. Opens by itself after
/// ten seconds, and then says that it was not opened in time.
class Gate {
 public:
  explicit Gate(Stream stream);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open(); }

  void open() { open_ = true; }
  /// Whether the stream is still held back.
  bool closed() const { return !passed_; }

 private:
  static void hold(void* gate);

  std::atomic<bool> open_ = false;
  std::atomic<bool> passed_ = false;
};

/// Uses the device once: the first use of a device may wait for it, nothing after that.
void warm_up();

/// `count` bytes that differ from their neighbours and depend on `seed`.
std::vector<std::byte> noise(std::int64_t count, std::uint32_t seed);

std::vector<std::byte> contents(Memory& memory, std::int64_t bytes);

/// What the host engine packs: the reference where the oracle of the type map would be too slow.
std::vector<std::byte> packed_on_host(const std::byte* buffer, std::int64_t count, const Plan& plan);

/// A user's buffer for one item of a type, and room for its packed bytes.
struct OneItem {
  explicit OneItem(const Datatype& type, Source packed_in = Source::device, Source user_in = Source::device)
      : plan(commit(type)),
        user(allocate(user_in, plan.extent())),
        packed(allocate(packed_in, plan.size())) {}

  /// Fills the user's buffer; what a pack of it gives.
  std::vector<std::byte> fill(std::uint32_t seed) {
    const auto data = noise(plan.extent(), seed);
    user->write(data);
    return packed_on_host(data.data(), 1, plan);
  }
  void pack(Stream stream) { typewarp::pack(user->data(), 1, plan, packed->data(), stream); }
  void unpack(Stream stream) { typewarp::unpack(packed->data(), user->data(), 1, plan, stream); }
  std::vector<std::byte> packed_bytes() { return contents(*packed, plan.size()); }

  Plan plan;
  std::unique_ptr<Memory> user, packed;
};

}  // namespace typewarp::test
