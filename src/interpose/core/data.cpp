// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/data.hpp"

#include "interpose/core/members.hpp"

#include <typewarp/engine.hpp>

namespace typewarp::interpose {

void pack(const Data& data, void* packed) {
  if (data.by_members) return pack_members(data, static_cast<std::byte*>(packed));
  typewarp::pack(data.address, data.count, data.plan, packed, data.stream);
}

void unpack(const void* packed, std::int64_t bytes, const Data& data) {
  if (data.by_members) return unpack_members(static_cast<const std::byte*>(packed), bytes, data);
  typewarp::unpack(packed, data.address, data.count, data.plan, {0, bytes}, data.stream);
}

}  // namespace typewarp::interpose
