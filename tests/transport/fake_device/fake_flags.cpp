// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device of these tests has no streams that wait for flags: nobody raises these.
#include "engine/device/signalled_copies.hpp"
#include "engine/runtime/flags.hpp"
#include "engine/runtime/memory.hpp"

#include <cstring>

namespace typewarp::gpu {

struct DeviceFlags::State {};
DeviceFlags::DeviceFlags(int, int) {}
DeviceFlags::~DeviceFlags() = default;
Flag* DeviceFlags::at(int) const noexcept { return nullptr; }
std::int64_t DeviceFlags::bytes() const noexcept { return 0; }
void DeviceFlags::close() const {}
void DeviceFlags::abandon() noexcept {}

struct SignalledCopies::State {};
SignalledCopies::SignalledCopies(int, const SignalledSteps&, FlagWait) {}
SignalledCopies::~SignalledCopies() = default;
void SignalledCopies::enqueue(Stream, std::uint64_t, const AddressOffsets&) const {}

void clear(int, std::byte* memory, std::int64_t bytes) {
  std::memset(memory, 0, static_cast<std::size_t>(bytes));
}

}  // namespace typewarp::gpu
