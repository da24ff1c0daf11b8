// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trials.hpp"

/// What is measured for which numbers of a profile (docs/transport.md says what they mean).
namespace typewarp::tune {

/// chunk_bytes and eager_bytes: through the memory of the hosts.
void tune_staged(Trials& trials, Numbers& found);
/// direct_bytes, and between devices that differ the direct.* numbers of pieces.
void tune_direct(Trials& trials, bool between_devices, Numbers& found);
/// link.piece_scale, by the protocol gpu_aware or ucx.
void tune_link(Trials& trials, Protocol protocol, Numbers& found);

}  // namespace typewarp::tune
