// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/signalled_copies.hpp"
#include "engine/device/batch/copy_table.hpp"

#include <cstdint>

namespace typewarp::gpu {

/// Of a table's flags, `raised` from `first` on, and `awaited` behind them.
struct FlagGroup {
  int first = 0, raised = 0, awaited = 0;
};

/// The flags of one launch, which travel as its parameters, in two groups.
struct FlagTable {
  static constexpr int room = 60;

  FlagGroup before, after;
  int used = 0;
  Flag* waiting = nullptr;
  std::uint64_t* count = nullptr;
  const Flag* gate = nullptr;
  Flag* flags[room] = {};
};

/// A table of copies in device memory. Null: the launch moves nothing.
struct CopiesInDevice {
  const LongCopies* table = nullptr;
  std::uint32_t* ended = nullptr;  ///< thread blocks that have come to their end; 0 between launches
  std::uint32_t blocks = 1;        ///< which take the tiles in turn; at first one for each
  bool regular = true;
};

/// Enqueues one kernel; the context's device is current. Throws GpuError.
void launch_signalled(const FlagTable& flags, std::uint64_t number, const CopiesInDevice& copies,
                      const AddressOffsets& moves, const LaunchContext& context);

}  // namespace typewarp::gpu
