// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/session.hpp"
#include "transport/buffer/message_buffer.hpp"

namespace typewarp::transport {

/// What of `side` rank `receiver` of the Transport may read, where it lies or packed into chunks;
/// nothing if it cannot, or the message is too short. Says that it is not readable yet. Throws CudaError.
std::optional<Offer> make_offer(Core& core, const Side& side, int receiver);

}  // namespace typewarp::transport
