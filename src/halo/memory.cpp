// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/memory.hpp"

#include <algorithm>
#include <string>

namespace typewarp::halo {

std::vector<PointerInfo> memory_of(std::span<const Field> fields) {
  std::vector<PointerInfo> memory;
  for (const Field& field : fields) {
    memory.push_back(gpu_present() ? pointer_info(field.data()) : PointerInfo{});
  }
  return memory;
}

bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept {
  return a.kind == b.kind && (a.kind != MemoryKind::device || a.device == b.device);
}

int device_of(std::span<const PointerInfo> memory) {
  int found = -1;
  for (std::size_t f = 0; f < memory.size(); ++f) {
    if (memory[f].kind != MemoryKind::device || memory[f].device == found) continue;
    if (found >= 0) {
      throw InvalidArgument("typewarp::halo::Exchange", "fields[" + std::to_string(f) + "].data",
                            "memory of device " + std::to_string(memory[f].device),
                            "must be on the device of the fields before, " + std::to_string(found) +
                                ": those of each device take an exchange of their own");
    }
    found = memory[f].device;
  }
  const auto managed = std::ranges::find(memory, MemoryKind::managed, &PointerInfo::kind);
  return found < 0 && managed != memory.end() ? managed->device : found;
}

}  // namespace typewarp::halo
