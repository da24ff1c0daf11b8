// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/arithmetic.hpp"
#include "transport/fake_device/fake_moves.hpp"

namespace typewarp::gpu {

void reduce(const std::byte* in, std::byte* inout, std::int64_t count, Named type, Operation operation,
            const LaunchContext& context) {
  const auto combine = [=] {
    plan::visit_number(type, [&]<typename T>(T, plan::NumberKind) {
      for (std::int64_t i = 0; i < count; ++i) plan::combine<T>(operation, in, inout, i);
    });
  };
  test::enqueue_work(combine, context.stream);
}

}  // namespace typewarp::gpu
