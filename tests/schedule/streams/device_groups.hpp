// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/gathering.hpp"
#include "schedule/streams/group_call.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu/gpu_everywhere.hpp"

#include <typewarp/device_group.hpp>

#include <chrono>

namespace typewarp::test {

class DeviceGroups : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (IsSkipped()) return;
    if (!gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
  }
  DeviceGroup group(std::chrono::milliseconds limit = std::chrono::seconds(60)) const {
    return DeviceGroup(ranks_of(comm_), {.time_limit = limit});
  }
};

}  // namespace typewarp::test
