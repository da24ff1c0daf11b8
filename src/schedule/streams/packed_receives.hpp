// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory.hpp"
#include "schedule/streams/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

namespace typewarp::exchange {

/// Which parts are stored packed, to be unpacked where they are received: those whose runs do not fill the
/// sectors that cross the link, if all of them together gain more than the launches and flags that it takes.
/// Numbers are those of two H100, in bytes a microsecond and microseconds (decision 016).
struct PackedReceivePolicy {
  std::int64_t sector = 32;
  double sectors_rate = 277e3;  ///< of a kernel that stores over the link, where runs are whole sectors;
  /// it falls by this power of the part of a sector that is used.
  double partial_sectors = 1.15;
  double packed_rate = 357e3;        ///< of long runs over the link
  double unpack_rate_a_byte = 35e3;  ///< of unpacking, for each byte of a run
  /// Of runs that begin further apart memory is what is slow, for unpacking as for a store over the link.
  std::int64_t farthest = 64;
  /// Shorter words take so long on both sides that packing saves nothing (decision 101).
  std::int64_t shortest_word = 4;
  double cost = 5;                                    ///< of storing packed
  std::int64_t most_bytes = std::int64_t{128} << 20;  ///< that are stored packed in an exchange

  /// Microseconds, of `bytes` bytes in runs of `run` bytes, each of which begins `apart` bytes behind the
  /// last, all at multiples of `word` bytes.
  double saved(std::int64_t bytes, std::int64_t run, std::int64_t apart, std::int64_t word) const noexcept {
    if (run >= sector || apart > farthest || word < shortest_word) return 0;
    const double filled = static_cast<double>(run) / static_cast<double>(sector);
    const double direct_rate = sectors_rate * std::pow(filled, partial_sectors);
    const double unpack_rate = unpack_rate_a_byte * static_cast<double>(run);
    const double a_byte = 1 / direct_rate - 1 / packed_rate - 1 / unpack_rate;
    return static_cast<double>(bytes) * std::max(a_byte, 0.0);
  }
};
inline constexpr PackedReceivePolicy packed_receive_policy;

/// Memory where other devices store parts for this rank packed, since storing their short runs over a link
/// would take longer.
struct PackedReceiveBuffers {
  std::unique_ptr<gpu::DeviceAllocation> memory;  ///< null if nothing is stored packed
  std::map<const Part*, std::byte*> places;       ///< by receive
};

/// What PackedReceivePolicy says of what comes from ranks `across_a_link`. Nothing is stored packed where
/// there is no memory.
PackedReceiveBuffers packed_receives_of(const Schedule& parts, const std::set<int>& across_a_link);

}  // namespace typewarp::exchange
