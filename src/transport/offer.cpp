// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/offer.hpp"

#include <algorithm>
#include <limits>

namespace typewarp::transport {
namespace {

void add_chunks(Core& core, const Side& side, Offer& offer) {
  const SharedChunks* const chunks = core.shared_chunks(side);
  if (chunks == nullptr) return;
  offer.chunks = chunks->memory.name;
  offer.chunk_bytes = static_cast<std::int32_t>(chunks->piece_bytes);
  offer.run = static_cast<std::int32_t>(std::min<std::int64_t>(
      average_run(side.plan, side.count, core.policy.sector), std::numeric_limits<std::int32_t>::max()));
}

void add_plan(const plan::WireName& name, Offer& offer) {
  offer.plan = name.identity;
  offer.wire_bytes = name.bytes;
  if (name.bytes > std::int64_t{Offer::longest_inline_wire}) return;
  offer.inline_bytes = static_cast<std::int32_t>(name.bytes);
  std::ranges::copy(name.short_wire, offer.inline_wire.begin());
}

}  // namespace

std::optional<Offer> make_offer(Core& core, const Side& side, int receiver) {
  if (side.bytes < core.options().direct_bytes || !core.shares_with(receiver)) return std::nullopt;
  const std::optional<Bounds> span = bounds(side.plan, side.count);
  if (!span) return std::nullopt;
  const std::optional<cuda::SharedMemory> memory = core.sharing().name(side, *span);
  const plan::WireName* const name = memory ? plan::wire_name(side.plan) : nullptr;
  Offer offer{};
  offer.count = side.count;
  offer.whole = name != nullptr;
  if (offer.whole) {
    offer.memory = *memory;
    add_plan(*name, offer);
  }
  const bool long_enough = offer.whole ? side.bytes >= core.policy.pieces_from : !core.is_plain(side.bytes);
  if (long_enough) add_chunks(core, side, offer);
  return offer.whole || offer.chunk_bytes != 0 ? std::optional(offer) : std::nullopt;
}

}  // namespace typewarp::transport
