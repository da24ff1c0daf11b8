// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/dead_peer/dead_peer.hpp"

#include <cstdlib>

namespace typewarp::test {

std::shared_ptr<std::byte> zeros(std::int64_t bytes) {
  return {static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes), 1)), std::free};
}

bool take_device(int /*rank*/) { return false; }

}  // namespace typewarp::test
