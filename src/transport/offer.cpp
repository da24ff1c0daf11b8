// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/offer.hpp"

#include <algorithm>

namespace typewarp::transport {

std::optional<Offer> make_offer(const Core& core, const Side& side, int receiver) {
  if (side.bytes < core.options().direct_bytes || !core.shares_with(receiver)) return std::nullopt;
  const std::optional<Bounds> span = bounds(side.plan, side.count);
  if (!span) return std::nullopt;
  const std::optional<cuda::SharedMemory> memory = core.sharing().name(side, *span);
  if (!memory) return std::nullopt;
  const plan::WireName* const name = plan::wire_name(side.plan);
  if (name == nullptr) return std::nullopt;
  Offer offer{*memory, side.count, name->identity, name->bytes, false};
  if (name->bytes <= std::int64_t{Offer::longest_inline_wire}) {
    offer.inline_bytes = static_cast<std::int32_t>(name->bytes);
    std::ranges::copy(name->short_wire, offer.inline_wire.begin());
  }
  return offer;
}

}  // namespace typewarp::transport
