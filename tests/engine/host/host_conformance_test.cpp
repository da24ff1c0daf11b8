// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/engine.hpp"
#include "support/host_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace typewarp::test {
namespace {

/// The host engine with so many threads under a policy.
class HostBackend final : public Backend {
 public:
  HostBackend(int threads, const host::Policy& policy) : threads_(threads), policy_(policy) {}

  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    host::pack(buffer, count, plan, packed, range, threads_, policy_);
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    host::unpack(packed, buffer, count, plan, range, threads_, policy_);
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    host::copy(source, source_count, source_plan, destination, destination_count, destination_plan, range,
               threads_, policy_);
  }

 private:
  int threads_;
  host::Policy policy_;
};

constexpr host::Policy as_shipped{};
/// Every operation of more than a few cache lines is split, and tiles end everywhere.
constexpr host::Policy split_early{
    .bytes_per_thread = 64, .parts_per_thread = 3, .direct_run = 1 << 20, .tile = 37};
/// Layout to layout without the tile.
constexpr host::Policy runs_directly{.direct_run = 0};

TEST(HostConformance, PackOnOneThread) {
  HostBackend backend(1, as_shipped);
  check_pack(backend);
}

TEST(HostConformance, UnpackOnOneThread) {
  HostBackend backend(1, as_shipped);
  check_unpack(backend);
}

TEST(HostConformance, CopyOnOneThread) {
  HostBackend backend(1, as_shipped);
  check_copy(backend);
}

TEST(HostConformance, CopyWithSmallTiles) {
  HostBackend backend(1, split_early);
  check_copy(backend, {.first_seed = 5000, .types = 500});
}

TEST(HostConformance, CopyFromRunToRun) {
  HostBackend backend(1, runs_directly);
  check_copy(backend, {.first_seed = 6000, .types = 500});
}

TEST(HostConformance, PackOnThreeThreads) {
  HostBackend backend(3, split_early);
  check_pack(backend, {.first_seed = 7000, .types = 500, .cut_every_nth = 0});
}

TEST(HostConformance, UnpackOnThreeThreads) {
  HostBackend backend(3, split_early);
  check_unpack(backend, {.first_seed = 8000, .types = 500, .cut_every_nth = 0});
}

TEST(HostConformance, CopyOnThreeThreads) {
  HostBackend backend(3, split_early);
  check_copy(backend, {.first_seed = 9000, .types = 500, .cut_every_nth = 0});
}

}  // namespace
}  // namespace typewarp::test
