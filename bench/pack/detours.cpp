// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "detours.hpp"

#include "check.hpp"

namespace typewarp::bench {
namespace {

/// A buffer in host memory in which the data lies as it does in the device's.
std::byte* buffer_on_host(Bench& bench, const Placed& placed) {
  constexpr std::int64_t line = 256;  // whole ones of it are compared
  const std::int64_t first = placed.begin() / line * line;
  return bench.pool.gaps.reserve(placed.end() + line - first) - first;
}

Mover whole_extent(const Placed& placed, std::byte* on_host) {
  const std::int64_t begin = placed.begin();
  const auto bytes = static_cast<std::size_t>(placed.end() - begin);
  return {"memcpy_extent",
          [=, from = placed.buffer](cudaStream_t stream) {
            check(cudaMemcpyAsync(on_host + begin, from + begin, bytes, cudaMemcpyDeviceToHost, stream),
                  "cudaMemcpyAsync");
          },
          true};
}

void copy_rows(std::byte* to, std::int64_t pitch, const std::byte* from, const Pitched& rows,
               cudaStream_t stream) {
  check(cudaMemcpy2DAsync(to, static_cast<std::size_t>(pitch), from, static_cast<std::size_t>(rows.pitch),
                          static_cast<std::size_t>(rows.width), static_cast<std::size_t>(rows.height),
                          cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
}

Mover to_gaps(const Placed& placed, const Pitched& rows, std::byte* on_host) {
  return {"memcpy2d_nc2nc", [=, from = placed.buffer](cudaStream_t stream) {
            copy_rows(on_host + rows.offset, rows.pitch, from + rows.offset, rows, stream);
          }};
}

Mover packed_in_device(const Transfer& transfer, const Pitched& rows, std::byte* between) {
  const auto bytes = static_cast<std::size_t>(transfer.placed.bytes());
  return {"memcpy2d_nc2c2c",
          [=, from = transfer.placed.buffer + rows.offset, to = transfer.packed](cudaStream_t stream) {
            copy_rows(between, rows.width, from, rows, stream);
            check(cudaMemcpyAsync(to, between, bytes, cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
          }};
}

}  // namespace

std::vector<Mover> detours(Bench& bench, const Transfer& transfer) {
  const Problem& problem = transfer.problem;
  const Placed& placed = transfer.placed;
  if (problem.detour == Detour::none) return {};
  std::byte* const on_host = buffer_on_host(bench, placed);
  const auto verified = [&](const Mover& mover) {
    verify({*placed.places, placed.buffer}, {*placed.places, on_host, false}, {mover}, bench.queue,
           bench.pool.staging);
    return mover;
  };
  if (problem.detour == Detour::extent) return {verified(whole_extent(placed, on_host))};
  const Pitched& rows = problem.pitched.value();
  const Mover last = packed_in_device(transfer, rows, bench.pool.packed.reserve(placed.bytes()));
  verify(bench, transfer, Direction::pack, {last});
  return {verified(to_gaps(placed, rows, on_host)), last};
}

}  // namespace typewarp::bench
