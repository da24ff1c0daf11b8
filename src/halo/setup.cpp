// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/setup.hpp"

#include "base/environment.hpp"
#include "halo/agreement.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace typewarp::halo {
namespace {

/// From so many bytes on, `datatype` is faster than `manual` for messages of several parts of device memory
/// (between two H100, decision 034: 4.5 MB sometimes, 6.5 MB always).
constexpr std::int64_t many_bytes = 5'000'000;

bool poison_is_asked_for() {
  return environment::word("typewarp::halo::Exchange", "TYPEWARP_HALO_POISON").value_or(0) != 0;
}

}  // namespace

std::string_view name(Packing packing) noexcept {
  constexpr std::array<std::string_view, 3> names{"automatic", "manual", "datatype"};
  return names[static_cast<std::size_t>(packing)];
}

Setup::Setup(const ProcessGrid& of, std::span<const Field> fields, const Options& asked)
    : grid(of.comm()), options(asked) {
  options.messages = Messages::together;
  together(grid.comm(), [&] {
    options.poison = asked.poison || poison_is_asked_for();
    check(grid, fields, options);
  });
  check_options(grid.comm(), fields.size(), options);
  stages = {transfers_of(grid, fields, options, full_width)};
  check_neighbours(grid.comm(), fields, stages);
  together(grid.comm(), [&] {
    memory = memory_of(fields);
    device = device_of(memory);
    choose_packing(fields);
    allocate(fields);
  });
}

Setup::Setup(const Setup& other, std::span<const Field> fields, Stage stage)
    : grid(other.grid),
      options(other.options),
      memory(other.memory),
      device(other.device),
      stages{std::move(stage)} {
  options.packing = Packing::manual;
  options.poison = false;
  allocate(fields);
}

bool Setup::has(MemoryKind kind) const noexcept {
  return std::ranges::find(memory, kind, &PointerInfo::kind) != memory.end();
}

bool Setup::uniform() const noexcept {
  return std::ranges::all_of(memory, [&](const PointerInfo& info) { return is_same(info, memory.front()); });
}

void Setup::check_bound(std::span<const Field> fields) const {
  const std::vector<PointerInfo> found = memory_of(fields);
  for (std::size_t f = 0; f < found.size(); ++f) {
    if (is_same(found[f], memory[f])) continue;
    throw InvalidArgument("typewarp::halo::Exchange::bind", "data[" + std::to_string(f) + "]",
                          std::string(name(found[f].kind)) + " memory",
                          "must be memory of the kind and device that the exchange was made with, " +
                              std::string(name(memory[f].kind)));
  }
}

std::vector<int> Setup::other_ranks() const {
  std::set<int> ranks;
  for (const Stage& stage : stages) {
    for (const Transfer& transfer : stage) ranks.insert({transfer.to, transfer.from});
  }
  ranks.erase(MPI_PROC_NULL);
  ranks.erase(grid.rank());
  return {ranks.begin(), ranks.end()};
}

// The transport would pack several fields of a device in one message, since they have no name together. And
// several sides of one field are no regular layout, which a kernel goes through more slowly. But then they
// are packed beside what stays in the process, which pays where there is much of it.
bool Setup::suits_in_place(std::span<const Field> fields, const Stage& stage, const End& end) const {
  std::int64_t bytes = 0;
  bool of_parts = false;
  for (const Message& message : messages_of(fields, stage, end)) {
    if (message.process == grid.rank()) continue;
    bytes += bytes_of(fields, stage, end, message);
    of_parts = of_parts || message.parts.size() > 1;
  }
  return !of_parts || bytes >= many_bytes;
}

// One datatype cannot reach into memory of several kinds, which different engines move.
void Setup::choose_packing(std::span<const Field> fields) {
  if (!uniform()) options.packing = Packing::manual;
  if (options.packing != Packing::automatic) return;
  const auto suits_all = [&](const Stage& stage) {
    return suits_in_place(fields, stage, sending) && suits_in_place(fields, stage, receiving);
  };
  const bool suits = device < 0 || std::ranges::all_of(stages, suits_all);
  const bool in_place = suits && reached_in_place(other_ranks(), grid.comm(), device >= 0);
  options.packing = in_place ? Packing::datatype : Packing::manual;
}

void Setup::allocate(std::span<const Field> fields) {
  std::int64_t bytes = 0;
  std::int64_t own_bytes = 0;
  std::int64_t longest = 0;
  for (const Stage& stage : stages) {
    const Places places = places_of(fields, stage, grid.rank(), packs());
    bytes = std::max(bytes, places.end);
    own_bytes = std::max(own_bytes, places.own_end);
    longest = std::max(longest, most_received(fields, stage));
  }
  const bool on_device =
      device >= 0 && (options.buffers == Buffers::automatic ? reached_by_devices(other_ranks(), grid.comm())
                                                            : options.buffers == Buffers::device);
  options.buffers = on_device ? Buffers::device : Buffers::pinned;
  buffer = Buffer(bytes, device, on_device);
  own = Buffer(own_bytes, device, true);
  if (!options.poison) return;
  poison = Buffer(longest, device, false);
  constexpr int value = 255;
  if (longest > 0) std::memset(poison.data(), value, static_cast<std::size_t>(longest));
}

}  // namespace typewarp::halo
