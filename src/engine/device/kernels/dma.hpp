// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/kernels/method_row.hpp"

#include <cstdint>
#include <optional>

/// What DMA moves. Plain functions of values, as those of method_row.hpp.
namespace typewarp::gpu {

/// The numbers were measured on an H200 (docs/internals/measuring.md).
struct DmaPolicy {
  /// Contiguous bytes up to this many are moved by a kernel, which starts sooner than DMA: within the device;
  /// and between devices, or over any link if the move is recorded.
  std::int64_t by_kernel = std::int64_t{16} << 20;
  std::int64_t by_kernel_on_link = std::int64_t{64} << 10;
  /// Rows of at least this many bytes go over a link by DMA; to and from host memory also a few rows of any
  /// length, between devices only so many bytes (64 MiB in rows of 4 KiB: 183 us, by a kernel 194).
  std::int64_t row = 1024;
  std::int64_t few_rows = 128;
  std::int64_t between_devices = std::int64_t{512} << 10;
  /// Where a kernel has to wait for those of other processes: at most so many rows of any length. A row of 8
  /// B takes 2.5 ns to host memory and 4.4 ns from there, a time slice at least 140 us (two processes on an
  /// H100).
  std::int64_t rows_when_shared = 32768;
};
inline constexpr DmaPolicy dma_policy;

/// The move as one copy of equal rows, however short and many; one side may be contiguous. None where it is
/// not.
std::optional<RowCopy> row_copy(const OperandTraits& destination, const OperandTraits& source,
                                ByteRange range);

extern const MethodRow dma_row, dma_rows_row;

}  // namespace typewarp::gpu
