// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/pattern.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <set>
#include <string>

namespace typewarp::halo {
namespace {

constexpr std::string_view call = "typewarp::halo::Exchange";

Direction along(std::size_t dimensions, std::size_t dimension, int step) {
  Direction direction(dimensions, 0);
  direction[dimension] = step;
  return direction;
}

bool exists(const ProcessGrid& grid, std::size_t dimension, int step) {
  return grid.neighbour(along(grid.dimensions(), dimension, step)) != MPI_PROC_NULL;
}

/// The box of a field whose dimensions lie along `direction`, as `range` says; empty where the field is not
/// divided along a dimension in which the direction leads away.
template <typename RangeOf>
Box box_of(const Field& field, const Direction& direction, RangeOf range) {
  Box box;
  for (std::size_t d = 0; d < field.dimensions(); ++d) box.push_back(range(d, field.step(direction, d)));
  for (std::size_t p = 0; p < direction.size(); ++p) {
    const bool divided = std::ranges::find(field.along(), static_cast<int>(p)) != field.along().end();
    if (direction[p] != 0 && !divided) box.front().end = box.front().begin;
  }
  return box;
}

HaloTransfer transfer(const ProcessGrid& grid, std::span<const Field> fields, const Direction& side,
                      std::int64_t width) {
  const Direction way = opposite(side);
  HaloTransfer made{side, grid.neighbour(way), grid.neighbour(side), {}, {}, {}, {}};
  for (const Field& field : fields) {
    const auto descriptor = [&](std::size_t d) { return field.descriptors()[d].narrowed(width); };
    made.sent.push_back(box_of(field, way, [&](std::size_t d, int step) {
      return step == 0 ? descriptor(d).owned() : descriptor(d).sent_to(step);
    }));
    made.received.push_back(box_of(field, side, [&](std::size_t d, int step) {
      return step == 0 ? descriptor(d).owned() : descriptor(d).received_from(step);
    }));
    made.sent_order.push_back(field.order());
    made.received_order.push_back(field.order());
  }
  return made;
}

/// Fields in the order in which they travel: their elements are as long in all processes.
std::vector<std::size_t> order_of(std::span<const Field> fields) {
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t f) {
    return std::countr_zero(static_cast<std::uint64_t>(fields[f].element().size()));
  });
  return order;
}

void check_sides(const ProcessGrid& grid, const std::vector<Direction>& sides) {
  std::set<Direction> seen;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::string name = "options.sides[" + std::to_string(i) + "]";
    const Direction& side = sides[i];
    const bool steps = std::ranges::all_of(side, [](int step) { return step >= -1 && step <= 1; });
    const bool away = std::ranges::any_of(side, [](int step) { return step != 0; });
    if (side.size() != grid.dimensions() || !steps || !away) {
      throw InvalidArgument(call, name, "no direction",
                            "must have a step of -1, 0 or 1 for each of the grid's " +
                                std::to_string(grid.dimensions()) + " dimensions, not all 0");
    }
    if (!seen.insert(side).second) throw InvalidArgument(call, name, "one again", "must be there once");
  }
}

/// What a neighbour gets must be this process's own.
void check_owned(const std::string& field, std::size_t dimension, const char* halo, std::int64_t sent,
                 const Descriptor& descriptor) {
  if (sent <= descriptor.length()) return;
  throw InvalidArgument(call, field + ".descriptors[" + std::to_string(dimension) + "]." + halo, sent,
                        "must not exceed the owned elements, " + std::to_string(descriptor.length()) +
                            ", since the neighbour gets as many of them");
}

void check_field(const ProcessGrid& grid, const Field& field, const std::string& name) {
  if (field.data() == nullptr) throw InvalidArgument(call, name + ".data", "null", "must not be null");
  for (std::size_t d = 0; d < field.dimensions(); ++d) {
    const int p = field.along()[d];
    if (p == Field::undivided) continue;
    if (p >= static_cast<int>(grid.dimensions())) {
      throw InvalidArgument(call, name + ".along[" + std::to_string(d) + "]", p,
                            "must be a dimension of the process grid, which has " +
                                std::to_string(grid.dimensions()) + ", or undivided");
    }
    const Descriptor& descriptor = field.descriptors()[d];
    if (exists(grid, static_cast<std::size_t>(p), -1)) {
      check_owned(name, d, "plus", descriptor.plus, descriptor);
    }
    if (exists(grid, static_cast<std::size_t>(p), 1)) {
      check_owned(name, d, "minus", descriptor.minus, descriptor);
    }
  }
}

}  // namespace

Transfers transfers_of(const ProcessGrid& grid, std::span<const Field> fields,
                       const std::vector<Direction>& sides, std::int64_t width) {
  Transfers transfers;
  for (const Direction& side : sides.empty() ? all_directions(grid.dimensions()) : sides) {
    transfers.push_back(transfer(grid, fields, side, width));
  }
  return transfers;
}

void check(const ProcessGrid& grid, std::span<const Field> fields, const std::vector<Direction>& sides) {
  if (fields.empty()) throw InvalidArgument(call, "fields.size()", 0, "must be at least 1");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    check_field(grid, fields[i], "fields[" + std::to_string(i) + "]");
  }
  check_sides(grid, sides);
}

std::vector<PointerInfo> memory_of(std::span<const Field> fields) {
  std::vector<PointerInfo> memory;
  for (const Field& field : fields) {
    memory.push_back(gpu_present() ? pointer_info(field.data()) : PointerInfo{});
  }
  return memory;
}

bool is_same(const PointerInfo& a, const PointerInfo& b) noexcept {
  return a.kind == b.kind && (a.kind != MemoryKind::device || a.device == b.device);
}

int device_of(std::span<const PointerInfo> memory) {
  int found = -1;
  for (std::size_t f = 0; f < memory.size(); ++f) {
    if (memory[f].kind != MemoryKind::device || memory[f].device == found) continue;
    if (found >= 0) {
      throw InvalidArgument(call, "fields[" + std::to_string(f) + "].data",
                            "memory of device " + std::to_string(memory[f].device),
                            "must be on the device of the fields before, " + std::to_string(found) +
                                ": those of each device take an exchange of their own");
    }
    found = memory[f].device;
  }
  const auto managed = std::ranges::find(memory, MemoryKind::managed, &PointerInfo::kind);
  return found < 0 && managed != memory.end() ? managed->device : found;
}

schedule::Schedule schedule_of(std::span<const Field> fields, const Transfers& transfers, int rank,
                               std::span<const PointerInfo> memory) {
  schedule::Schedule made{{}, {}, rank, device_of(memory)};
  for (const std::size_t f : order_of(fields)) {
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      const HaloTransfer& transfer = transfers[t];
      const auto add = [&](std::vector<schedule::Part>& parts, int peer, const std::vector<Box>& boxes,
                           const std::vector<std::vector<int>>& orders) {
        if (peer == MPI_PROC_NULL) return;
        const Datatype type = fields[f].part(boxes[f], orders[f]);
        if (type.size() == 0) return;
        parts.push_back({fields[f].data(), 1, commit(type), peer, t * fields.size() + f, type.size(),
                         memory.empty() ? PointerInfo{} : memory[f]});
      };
      add(made.sends, transfer.to, transfer.sent, transfer.sent_order);
      add(made.receives, transfer.from, transfer.received, transfer.received_order);
    }
  }
  return made;
}

}  // namespace typewarp::halo
