// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/types_in_c.hpp"
#include "engine/call_backend.hpp"

#include <typewarp/engine.h>
#include <typewarp/persistent.h>

#include <gtest/gtest.h>

// All that moves bytes in C, of types that C has made, against the type map.

namespace typewarp::test {
namespace {

constexpr ConformanceOptions options{.types = 100, .cut_every_nth = 0};

/// Of the plan that was asked for last, since a case asks again for each range.
class LastPlan {
 public:
  const tw_plan* of(const Plan& plan) {
    if (node_ != &datatype::node_of(plan.datatype())) {
      type_ = plan.datatype();
      node_ = &datatype::node_of(type_);
      in_c_ = plan_in_c(type_);
    }
    return in_c_.get();
  }

 private:
  Datatype type_;
  const datatype::Node* node_ = nullptr;
  PlanInC in_c_;
};

struct Plans {
  LastPlan source, destination;
};

tw_byte_range in_c(ByteRange range) { return {range.begin, range.end}; }

void check(Backend& backend) {
  check_pack(backend, options);
  check_unpack(backend, options);
  check_copy(backend, options);
}

void succeed(tw_result result) { ASSERT_EQ(result, TW_SUCCESS) << tw_error_text(); }

TEST(ConformanceInC, OfCalls) {
  Plans plans;
  CallBackend backend(
      [&](const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_pack(buffer, count, plans.source.of(plan), packed, &bytes, nullptr));
      },
      [&](const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_unpack(packed, buffer, count, plans.source.of(plan), &bytes, nullptr));
      },
      [&](const void* source, std::int64_t count, const Plan& plan, void* destination, std::int64_t to_count,
          const Plan& to, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_copy(source, count, plans.source.of(plan), destination, to_count, plans.destination.of(to),
                        &bytes, nullptr));
      });
  check(backend);
}

TEST(ConformanceInC, OfTheHostEngine) {
  Plans plans;
  CallBackend backend(
      [&](const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_host_pack(buffer, count, plans.source.of(plan), packed, &bytes, 1));
      },
      [&](const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_host_unpack(packed, buffer, count, plans.source.of(plan), &bytes, 1));
      },
      [&](const void* source, std::int64_t count, const Plan& plan, void* destination, std::int64_t to_count,
          const Plan& to, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        succeed(tw_host_copy(source, count, plans.source.of(plan), destination, to_count,
                             plans.destination.of(to), &bytes, 1));
      });
  check(backend);
}

/// Starts what `init` makes, and waits for it.
template <class Init>
void run(Init init) {
  tw_persistent* operation = nullptr;
  succeed(init(&operation));
  succeed(tw_persistent_start(operation, nullptr));
  succeed(tw_persistent_wait(operation));
  int done = 0;
  succeed(tw_persistent_done(operation, &done));
  EXPECT_EQ(done, 1);
  tw_persistent_free(operation);
}

TEST(ConformanceInC, OfPersistentOperations) {
  Plans plans;
  CallBackend backend(
      [&](const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        run([&](tw_persistent** made) {
          return tw_persistent_pack_init(buffer, count, plans.source.of(plan), packed, &bytes,
                                         TW_DEVICE_OF_DATA, made);
        });
      },
      [&](const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        run([&](tw_persistent** made) {
          return tw_persistent_unpack_init(packed, buffer, count, plans.source.of(plan), &bytes,
                                           TW_DEVICE_OF_DATA, made);
        });
      },
      [&](const void* source, std::int64_t count, const Plan& plan, void* destination, std::int64_t to_count,
          const Plan& to, ByteRange range) {
        const tw_byte_range bytes = in_c(range);
        run([&](tw_persistent** made) {
          return tw_persistent_copy_init(source, count, plans.source.of(plan), destination, to_count,
                                         plans.destination.of(to), &bytes, TW_DEVICE_OF_DATA, made);
        });
      });
  check(backend);
}

}  // namespace
}  // namespace typewarp::test
