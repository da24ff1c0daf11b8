// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/gpu.hpp"
#include "halo/patches.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/fake_device/fake_moves.hpp"

namespace typewarp::test {

/// For what only the fake device tells.
class HaloFakeDevice : public HaloThreePatches {};

}  // namespace typewarp::test
