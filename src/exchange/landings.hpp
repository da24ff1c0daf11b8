// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "exchange/parts.hpp"

#include <map>
#include <memory>
#include <set>

namespace typewarp::exchange {

/// Where other devices store parts of a rank packed, since it would take them longer to store their short
/// runs over a link.
struct Landings {
  std::unique_ptr<gpu::DeviceBuffer> memory;  ///< null if nothing lands
  std::map<const Part*, std::byte*> places;   ///< by receive
};

/// What LandingPolicy says of what comes from ranks `across_a_link`. Nothing lands where there is no memory.
Landings landings_of(const Schedule& parts, const std::set<int>& across_a_link);

}  // namespace typewarp::exchange
