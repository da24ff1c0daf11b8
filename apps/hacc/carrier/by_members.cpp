// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/by_members.hpp"

namespace hacc {

void ByMembers::pack(std::byte* packed) {
  for (const Member& member : block_.members()) {
    apps::copy_bytes(packed, member.data, member.bytes, stream_);
    packed += member.bytes;
  }
}

void ByMembers::unpack(const std::byte* packed) {
  for (const Member& member : block_.members()) {
    apps::copy_bytes(member.data, packed, member.bytes, stream_);
    packed += member.bytes;
  }
}

}  // namespace hacc
