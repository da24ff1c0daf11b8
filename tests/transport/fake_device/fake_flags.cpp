// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device of these tests has no streams that wait for flags: nobody raises these.
#include "engine/runtime/flags.hpp"

namespace typewarp::gpu {

struct DeviceFlags::State {};
DeviceFlags::DeviceFlags(int, int) {}
DeviceFlags::~DeviceFlags() = default;
Flag* DeviceFlags::at(int) const noexcept { return nullptr; }
std::int64_t DeviceFlags::bytes() const noexcept { return 0; }
void DeviceFlags::close() const {}
void DeviceFlags::abandon() noexcept {}

}  // namespace typewarp::gpu
