// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include <typewarp/layout.hpp>

namespace typewarp::bench {
namespace {

/// The library and every hand-coded kernel.
std::vector<Mover> movers(const Transfer& transfer, Direction direction) {
  std::vector<Mover> result{
      {"typewarp", [&, direction](cudaStream_t stream) { transfer.run(direction, stream); }}};
  const auto add = [&](const std::string& name, const HandCoded& hand) {
    if (!hand) return;
    result.push_back({name, [&, direction](cudaStream_t stream) {
                        hand(direction, transfer.placed.buffer, transfer.packed, stream);
                      }});
  };
  add("hand", transfer.problem.hand);
  if (transfer.memory == MemoryKind::device) add("hand_naive", transfer.problem.hand_naive);
  return result;
}

Row measured(Bench& bench, const Case& which, const Transfer& transfer, Direction direction) {
  Row row{which.figure,
          which.name,
          std::string(name(direction)),
          std::string(name(transfer.memory)),
          bench.method,
          transfer.placed.bytes(),
          {},
          {},
          {},
          {},
          true};
  verify(bench, transfer, direction, movers(transfer, direction));
  row.sample = measure(
      [&] {
        transfer.run(direction, bench.queue.get());
        bench.queue.wait();
      },
      bench.effort);
  row.floor_us = floor_us(bench.rates, transfer, direction);
  if (bench.baselines) {
    row.baselines_us = measure_baselines(bench, transfer, direction);
    row.view = transfer.problem.view;
  }
  return row;
}

/// The library, and the hand-coded kernel where there is one that copies.
std::vector<Mover> movers(const CopyProblem& problem, const Placed& source, const Placed& destination) {
  std::vector<Mover> result{{"typewarp", [&](cudaStream_t stream) {
                               copy(source.buffer, source.count, source.plan, destination.buffer,
                                    destination.count, destination.plan, stream);
                             }}};
  if (problem.hand) {
    result.push_back(
        {"hand", [&](cudaStream_t stream) { problem.hand(source.buffer, destination.buffer, stream); }});
  }
  return result;
}

void run_copying(Bench& bench, const Case& which, const CopyProblem& problem) {
  const Placed source = place(bench.pool.layout, problem.source.type, problem.source.count);
  const Placed destination = place(bench.pool.packed, problem.destination.type, problem.destination.count);
  const std::vector<Mover> ways = movers(problem, source, destination);
  verify({*source.places, source.buffer}, {*destination.places, destination.buffer}, ways, bench.queue,
         bench.pool.staging);
  Row row{which.figure, which.name, "copy", "device", bench.method, source.bytes(), {}, {}, {}, {}, true};
  row.sample = measure(
      [&] {
        ways.front().run(bench.queue.get());
        bench.queue.wait();
      },
      bench.effort);
  const auto touched = static_cast<double>((source.segments + destination.segments) * segment_bytes);
  row.floor_us = touched / bench.rates.copy + bench.rates.launch_us;
  if (bench.baselines) row.baselines_us = measure_baselines(bench, problem, source, destination);
  bench.report.row(row);
}

}  // namespace

void measure_moving(Bench& bench, const Case& which, const Problem& problem, Selection selection) {
  const Placed placed = place(bench.pool.layout, problem.type, problem.count);
  for (const MemoryKind memory : {MemoryKind::device, MemoryKind::pinned}) {
    const bool on_device = memory == MemoryKind::device;
    if (!(on_device ? selection.device : selection.pinned)) continue;
    std::byte* const packed =
        on_device ? bench.pool.packed.reserve(placed.bytes()) : bench.pool.pinned.reserve(placed.bytes());
    const Transfer transfer{problem, placed, packed, memory};
    for (const Direction direction : {Direction::pack, Direction::unpack}) {
      if (!(direction == Direction::pack ? selection.pack : selection.unpack)) continue;
      bench.report.row(measured(bench, which, transfer, direction));
    }
  }
}

Case moving(const std::string& figure, const std::string& name, const std::function<Problem()>& make,
            Selection selection) {
  return {figure, name,
          [=](Bench& bench) { measure_moving(bench, {figure, name, nullptr}, make(), selection); }};
}

Case copying(const std::string& figure, const std::string& name, const std::function<CopyProblem()>& make) {
  return {figure, name, [=](Bench& bench) { run_copying(bench, {figure, name, nullptr}, make()); }};
}

}  // namespace typewarp::bench
