// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trials.hpp"

/// What is measured for which numbers of a profile (docs/reference/options.md says what they mean).
namespace typewarp::tune {

/// chunk_bytes and eager_bytes: through the memory of the hosts.
Numbers tune_staged(Trials& trials);
/// direct_bytes, and between devices that differ the direct.* numbers of fragments.
Numbers tune_direct(Trials& trials, bool between_devices);
/// link.fragment_scale, by the protocol gpu_aware or ucx.
Numbers tune_link(Trials& trials, Protocol protocol);

}  // namespace typewarp::tune
