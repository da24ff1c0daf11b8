// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/remote_key.hpp"

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

void add_whole(const cuda::SharedMemory& memory, const plan::WireName& name, std::int64_t count,
               Offer& offer) {
  offer.whole = true;
  offer.memory = memory;
  offer.count = count;
  offer.plan = name.identity;
  offer.wire_bytes = name.bytes;
  if (name.bytes > std::int64_t{Offer::longest_inline_wire}) return;
  offer.inline_bytes = static_cast<std::int32_t>(name.bytes);
  std::ranges::copy(name.short_wire, offer.inline_wire.begin());
}

}  // namespace

std::optional<Offer> make_offer(Core& core, const Side& side, int receiver) {
  if (side.bytes < core.options().direct_bytes || !core.shares_with(receiver)) return std::nullopt;
  if (!core.sharing().shares(side)) return std::nullopt;
  const std::optional<Bounds> span = bounds(side.plan, side.count);
  if (!span) return std::nullopt;
  Offer made{};
  const std::optional<cuda::SharedMemory> memory = core.sharing().name(side, *span);
  const plan::WireName* const name = memory ? plan::wire_name(side.plan) : nullptr;
  if (name != nullptr) {
    add_whole(*memory, *name, side.count, made);
    if (side.bytes >= core.policy.pieces_from) add_chunks(core, side, made);
  } else if (!core.is_plain(side.bytes)) {
    add_chunks(core, side, made);
  }
  if (!made.whole && made.chunk_bytes == 0) return std::nullopt;
  return made;
}

}  // namespace typewarp::transport
