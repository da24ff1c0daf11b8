// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/state.hpp"
#include "plan/wire.hpp"
#include "support/host_memory.hpp"

#include <typewarp/engine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace typewarp::test {
namespace {

constexpr ConformanceOptions through_the_front_door{.types = 300};

/// The public calls on pageable memory; the host engine itself has a suite of its own.
class PageableBackend : public Backend {
 public:
  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override {
    return std::make_unique<HostMemory>(bytes);
  }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    typewarp::pack(buffer, count, plan, packed, range, nullptr);
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    typewarp::unpack(packed, buffer, count, plan, range, nullptr);
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    typewarp::copy(source, source_count, source_plan, destination, destination_count, destination_plan, range,
                   nullptr);
  }
};

/// The same by plans as another process gets them.
class SentPlansBackend final : public PageableBackend {
 public:
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    PageableBackend::pack(buffer, count, sent(plan), packed, range);
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    PageableBackend::unpack(packed, buffer, count, sent(plan), range);
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    PageableBackend::copy(source, source_count, sent(source_plan), destination, destination_count,
                          sent(destination_plan), range);
  }

 private:
  // What has shared members has no wire: no other process gets it.
  static Plan sent(const Plan& plan) {
    if (plan::state_of(plan).encoding.shared) return plan;
    return plan::from_wire(plan::to_wire(plan, std::numeric_limits<std::int64_t>::max()).value());
  }
};

TEST(EngineConformance, Pack) {
  PageableBackend backend;
  check_pack(backend, through_the_front_door);
}

TEST(EngineConformance, Unpack) {
  PageableBackend backend;
  check_unpack(backend, through_the_front_door);
}

TEST(EngineConformance, Copy) {
  PageableBackend backend;
  check_copy(backend, through_the_front_door);
}

TEST(EngineConformance, PlansThatWereSent) {
  SentPlansBackend backend;
  check_pack(backend, through_the_front_door);
  check_unpack(backend, through_the_front_door);
  check_copy(backend, through_the_front_door);
}

}  // namespace
}  // namespace typewarp::test
