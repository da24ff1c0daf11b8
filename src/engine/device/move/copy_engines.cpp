// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/copy.hpp"

#include "engine/device/kernels/dma.hpp"
#include "engine/device/layout/operand.hpp"
#include "engine/runtime/enqueue.hpp"

namespace typewarp::gpu {
namespace {

/// Rows, or one that is all of them; none where there are so many that copy engines do not suit.
std::optional<RowCopy> few_rows(const OperandTraits& destination, const OperandTraits& source,
                                ByteRange range) {
  if (destination.contiguous() && source.contiguous()) {
    const std::int64_t bytes = range.end - range.begin;
    return RowCopy{{destination.place(range.begin), bytes}, {source.place(range.begin), bytes}, bytes};
  }
  const std::optional<RowCopy> rows = row_copy(destination, source, range);
  return rows && rows->rows <= dma_policy.rows_when_shared ? rows : std::nullopt;
}

/// Whether hints allow them.
bool may_take_engines(const Hints& hints) {
  return hints.method == Method::automatic && !holds(hints.avoid, Resource::copy_engines);
}

Refusal enqueue(const RowCopy& rows, const LaunchContext& context) {
  if (rows.rows > 1) return enqueue_rows(context, rows);
  return enqueue_copy(context, rows.to.first, rows.from.first, static_cast<std::size_t>(rows.row));
}

}  // namespace

bool suits_copy_engines(const Side& side, std::int64_t bytes, int id) {
  if (!may_take_engines(hints_of(side.plan, nullptr))) return false;
  Device& home = device(id);
  home.prepare();
  const DeviceGuard guard(home.id());
  const ByteRange range{0, bytes};
  const Operand here(side, range, home);
  return few_rows(here, here, range).has_value();
}

bool copy_by_engines(const Side& destination_side, const Side& source_side, ByteRange range,
                     const LaunchContext& context) {
  if (recorded(context) || !may_take_engines(hints_of(destination_side.plan, source_side.plan))) return false;
  Device& home = device(context.device);
  home.prepare();
  const DeviceGuard guard(home.id());
  const std::optional<RowCopy> rows =
      few_rows(Operand(destination_side, range, home), Operand(source_side, range, home), range);
  return rows && !enqueue(*rows, context);  // else memory of several allocations, which kernels do reach
}

}  // namespace typewarp::gpu
