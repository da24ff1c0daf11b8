// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/carrier.hpp"

#include "hacc/carrier/by_hand.hpp"
#include "hacc/carrier/by_members.hpp"
#include "hacc/carrier/by_mpi.hpp"
#include "hacc/carrier/by_typewarp.hpp"

namespace hacc {

std::string_view name(By way) noexcept {
  switch (way) {
    case By::members:
      return "members";
    case By::hand:
      return "hand";
    case By::mpi:
      return "mpi";
    case By::typewarp:
      break;
  }
  return "typewarp";
}

std::unique_ptr<Carrier> make_carrier(By way, const Block& block, const apps::OwnedStream& stream) {
  switch (way) {
    case By::members:
      return std::make_unique<ByMembers>(block, stream);
    case By::hand:
      return std::make_unique<ByHand>(block, stream);
    case By::mpi:
      return std::make_unique<ByMpi>(block);
    case By::typewarp:
      break;
  }
  return std::make_unique<ByTypewarp>(block, stream);
}

typewarp::MemoryKind staging_kind(const Block& block) {
  using typewarp::MemoryKind;
  return block.kind() == MemoryKind::host ? MemoryKind::host : MemoryKind::pinned;
}

}  // namespace hacc
