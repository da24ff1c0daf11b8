// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/gpu/turns.hpp"

#include "engine/gpu/cuda/kernels/dma.hpp"
#include "engine/gpu/cuda/layout/operand.hpp"
#include "engine/gpu/cuda/runtime/enqueue.hpp"

#include <array>
#include <atomic>

namespace typewarp::gpu {
namespace {

/// By number of the device.
constinit std::array<std::atomic<Sharing>, 64> found{};

bool has(int device) noexcept { return device >= 0 && static_cast<std::size_t>(device) < found.size(); }

/// Rows, or one that is all of them; empty where copy engines do not suit.
RowCopy rows_in_turn(const Described& destination, const Described& source, ByteRange range) {
  if (destination.contiguous() && source.contiguous()) {
    const std::int64_t bytes = range.end - range.begin;
    return {{destination.place(range.begin), bytes, bytes}, {source.place(range.begin), bytes, bytes}, 1};
  }
  const RowCopy rows = row_copy(destination, source, range);
  return rows.rows <= dma_policy.rows_in_turn ? rows : RowCopy{};
}

/// Whether hints leave the way to us.
bool may_take_engines(const Hints& hints) {
  return hints.method == Method::automatic && !holds(hints.avoid, Resource::copy_engines);
}

cudaError_t enqueue(const RowCopy& copy, const LaunchContext& context) {
  const auto row = static_cast<std::size_t>(copy.to.row);
  if (copy.rows == 1) return enqueue_copy(context, copy.to.first, copy.from.first, row);
  return enqueue_rows(context, copy.to.first, static_cast<std::size_t>(copy.to.pitch), copy.from.first,
                      static_cast<std::size_t>(copy.from.pitch), row, static_cast<std::size_t>(copy.rows));
}

}  // namespace

void tell_of_sharing(int id) {
  if (!has(id) || sharing(id) != Sharing::alone) return;
  int served = 0;
  TYPEWARP_CUDA(cudaDeviceGetAttribute(&served, cudaDevAttrMpsEnabled, id));
  found[static_cast<std::size_t>(id)].store(served == 0 ? Sharing::by_turns : Sharing::served,
                                            std::memory_order_relaxed);
}

Sharing sharing(int id) noexcept {
  return has(id) ? found[static_cast<std::size_t>(id)].load(std::memory_order_relaxed) : Sharing::alone;
}

bool suits_copy_engines(const Side& side, std::int64_t bytes, int id) {
  if (!may_take_engines(hints_of(side.plan, nullptr))) return false;
  Device& home = device(id);
  home.prepare();
  const DeviceGuard guard(home.id());
  const ByteRange range{0, bytes};
  const Operand here(side, range, home);
  return !rows_in_turn(here, here, range).empty();
}

bool copy_by_engines(const Side& destination_side, const Side& source_side, ByteRange range,
                     const LaunchContext& context) {
  if (recorded(context) || !may_take_engines(hints_of(destination_side.plan, source_side.plan))) return false;
  Device& home = device(context.device);
  home.prepare();
  const DeviceGuard guard(home.id());
  const RowCopy rows =
      rows_in_turn(Operand(destination_side, range, home), Operand(source_side, range, home), range);
  if (rows.empty()) return false;
  const cudaError_t status = enqueue(rows, context);
  if (status == cudaErrorInvalidValue) {  // memory of several allocations, which kernels do reach
    ignore(status);
    return false;
  }
  check(status, "cudaMemcpy2DAsync");
  return true;
}

}  // namespace typewarp::gpu
