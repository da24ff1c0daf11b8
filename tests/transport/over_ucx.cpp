// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Linked to suites that were written for messages as such, this has UCX carry those from device to device.

#include "transport/over_protocol.hpp"

namespace typewarp {
namespace {

[[maybe_unused]] const testing::Environment* const environment =
    testing::AddGlobalTestEnvironment(new test::OverProtocol(Protocol::ucx));

}  // namespace
}  // namespace typewarp
