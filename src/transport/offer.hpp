// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/core.hpp"
#include "transport/side.hpp"

namespace typewarp::transport {

/// An offer, and what belongs to it.
struct Offering {
  Offer offer;
  Room room{};  ///< for the message, packed, if that is what the receiver is to read
};

/// What of `side` rank `receiver` of the Transport may read, where it lies or packed, whole or in chunks;
/// nothing if it cannot, or the message is too short. Says that it is not readable yet. Throws CudaError.
std::optional<Offering> make_offer(Core& core, const Side& side, int receiver);

}  // namespace typewarp::transport
