// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "schedule/streams/group.hpp"
#include "schedule/schedule.hpp"

#include <typewarp/exchange.hpp>

#include <string_view>

namespace typewarp::exchange {

using schedule::PackedPart;
using schedule::Part;
using schedule::Schedule;

/// What keeps a sender's device from storing a part where it belongs.
enum class NotDirectReason : std::uint8_t { none, sender, receiver, host, allocation, layout, reach };
/// As a clause.
std::string_view text(NotDirectReason reason) noexcept;

/// The schedule of what the caller of Exchange's constructor gave. Where there is no device, no part is
/// on_stream(). Throws InvalidArgument.
Schedule checked(std::span<const OutgoingPart> sends, std::span<const IncomingPart> receives,
                 const ExchangeGroup& group);

}  // namespace typewarp::exchange
