// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/packed_whole.hpp"

namespace typewarp::transport {

bool PackedWhole::packed(Core& core, const Side& side) {
  if (!std::exchange(begun_, true)) {
    if (side.on_device()) {
      const int device = side.route.device;
      const cuda::Side to{nullptr, side.bytes, room_.data(), MemoryKind::device, device};
      gathered_ = core.gather.pack(device, to, side.at_home(), side.bytes);
    } else {
      side.pack_near({0, side.bytes}, room_.data(), packed_);
    }
  }
  return gathered_.reached() && reached(packed_, false);
}

bool PackedWhole::release() noexcept {
  if (!room_) return true;
  gathered_.withdraw();
  try {
    if (!gathered_.reached()) return false;
  } catch (const std::exception&) {
    gathered_ = {};  // what has failed writes no more
  }
  if (!ended(packed_, false)) return false;
  room_ = Room();
  return true;
}

}  // namespace typewarp::transport
