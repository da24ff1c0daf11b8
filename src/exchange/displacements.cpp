// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/displacements.hpp"

#include "engine/dispatch.hpp"

#include <string>

namespace typewarp::exchange {
namespace {

/// What is displaced, by how much.
struct Displaced {
  std::string_view member, array;
  std::int64_t bytes;

  [[noreturn]] void refuse(const Part& part, std::string_view why) const {
    throw InvalidArgument("typewarp::Exchange::start", "displacements." + std::string(member), bytes,
                          "must be 0, or another: " + std::string(array) + "[" + std::to_string(part.index) +
                              "] " + std::string(why));
  }

  void check_memory(const Part& part, bool device) const {
    if (part.bytes == 0 || !gpu::present()) return;
    const PointerInfo found = engine::place_of(part.side(bytes)).memory;
    const bool host = found.kind == MemoryKind::host || found.kind == MemoryKind::pinned;
    const bool same = found.kind == part.memory.kind && found.device == part.memory.device;
    if (device ? !same : !host) refuse(part, "would be in other memory than where it is bound");
  }
};

}  // namespace

void check(const PartDisplacements& displacements, const Schedule& parts, const Links& links) {
  const bool device = parts.device >= 0;
  if (displacements.sends != 0) {
    const Displaced sends{"sends", "sends", displacements.sends};
    for (const Part& part : parts.sends) {
      if (device && part.bytes > 0 && !part.on_stream())
        sends.refuse(part, "is of the host, beside a device");
      sends.check_memory(part, device);
    }
  }
  if (displacements.own_receives == 0) return;
  const Displaced receives{"own_receives", "receives", displacements.own_receives};
  for (const Part& part : links.received.parts) {
    if (part.peer == parts.rank) receives.refuse(part, "is not stored by a device");
  }
  for (const Part& part : parts.receives) {
    if (part.peer == parts.rank) receives.check_memory(part, device);
  }
}

}  // namespace typewarp::exchange
