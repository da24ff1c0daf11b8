// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/ahead.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::transport {
namespace {

// The receiver decides by the shorter runs of both sides, of which this one knows its own. On a device that
// two processes share, packing would keep the receiver from its own work.
bool pays(const Core& core, const Side& side, const Offer& offer, int receiver) {
  if (!offer.readable || offer.chunk_bytes <= 0 || !core.seems_elsewhere(receiver, offer.chunks)) {
    return false;
  }
  return !offer.whole || core.policy.prefers_pieces(side.bytes, offer.run, false);
}

}  // namespace

Ahead::~Ahead() { ended(packed_, true); }

void Ahead::begin(Core& core, const Side& side, const Offer& offer, int receiver) {
  if (!pays(core, side, offer, receiver)) return;
  chunk_ = core.shared_chunks(side)->chunks.take_leaving(core.policy.left_by_guesses);
  if (!chunk_) return;
  piece_bytes_ = core.policy.piece_length(side.bytes, offer.chunk_bytes);
  try {
    side.pack_near({0, std::min(piece_bytes_, side.bytes)}, chunk_.data(), packed_);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void Ahead::hand_over(Chunk& chunk, std::optional<cuda::Event>& packed) {
  chunk = std::move(chunk_);
  if (packed_) packed.emplace(*std::move(packed_));
  packed_.reset();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

bool Ahead::release() noexcept {
  if (!chunk_) return true;
  if (!dropped_ || !ended(packed_, false)) return false;
  packed_.reset();
  chunk_ = Chunk();
  return true;
}

}  // namespace typewarp::transport
