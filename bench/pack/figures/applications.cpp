// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "figures/figures.hpp"
#include "transfer.hpp"
#include "workloads.hpp"

/// ddtbench at its published sizes, and as several messages at once: those are a page-aligned stride apart,
/// as if each had arrays of its own.
namespace typewarp::bench {
namespace {

/// Of all messages at once. More is NAS_MG at 514 x512 alone, 130 GiB.
constexpr std::int64_t most_memory = 32 * gibi;
constexpr std::int64_t page = 4096;

/// Addresses of nothing, one allocation behind the other: only their distances matter here.
class Addresses {
 public:
  std::shared_ptr<std::byte> take(std::int64_t bytes) {
    auto* const address = reinterpret_cast<std::byte*>(next_);
    next_ += (bytes + page) / page * page;
    return {address, [](std::byte*) {}};
  }
  std::int64_t taken() const { return next_ - page; }

 private:
  std::intptr_t next_ = page;  // 0 would be the null buffer of absolute addresses
};

/// `copies` of a message, with displacements that count from its first allocation.
Problem several(const Message& message, std::int64_t copies, std::int64_t footprint) {
  const std::int64_t buffer = message.buffer == nullptr ? 0 : reinterpret_cast<std::intptr_t>(message.buffer);
  const Datatype placed = hindexed_block(1, {buffer - page}, contiguous(message.count, message.type));
  return {resized(placed, 0, footprint), copies};
}

void run(Bench& bench, const Case& which, const NamedWorkload& named, std::int64_t copies) {
  Addresses addresses;
  const Workload workload = named.make([&](std::int64_t bytes) { return addresses.take(bytes); });
  const std::int64_t footprint = addresses.taken();
  if (footprint * copies > most_memory) return;
  const bool pinned = copies == 1;
  measure_moving(bench, which, several(workload.send, copies, footprint), {true, pinned, true, false});
  measure_moving(bench, which, several(workload.receive, copies, footprint), {true, pinned, false, true});
}

}  // namespace

std::vector<Case> ddtbench_figure_cases() {
  std::vector<Case> cases;
  for (const std::int64_t copies : {1, 16, 64, 512}) {
    for (const NamedWorkload& named : ddtbench_cases()) {
      const std::string name = named.name + " x" + std::to_string(copies);
      cases.push_back(
          {"ddtbench", name, [=](Bench& bench) { run(bench, {"ddtbench", name, nullptr}, named, copies); }});
    }
  }
  return cases;
}

}  // namespace typewarp::bench
