// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/indexed_copy.hpp>

#include "engine/arguments.hpp"
#include "engine/device/indexed_copies.hpp"
#include "engine/dispatch.hpp"
#include "engine/runtime/displaced.hpp"

#include <optional>
#include <string>
#include <vector>

namespace typewarp {
namespace {

constexpr std::string_view constructor = "typewarp::IndexedCopy";
constexpr std::string_view copying = "typewarp::IndexedCopy::copy";

std::string entry(std::string_view array, std::size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

std::string out_of(std::int64_t bound) { return "must be at least 0 and less than " + std::to_string(bound); }

gpu::Side first_item(const ItemArray& array) { return engine::user_side(array.buffer, 1, array.plan); }

/// What must hold for each array of a side, wherever it lies.
void check_arrays(std::string_view name, std::span<const ItemArray> arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const ItemArray& array = arrays[i];
    std::int64_t end = 0;
    const auto refuse = [&](std::string_view member, std::int64_t value, std::string_view rule) {
      throw InvalidArgument(constructor, entry(name, i) + std::string(member), value, rule);
    };
    if (array.count < 0) refuse(".count", array.count, "must not be negative");
    if (array.count != arrays.front().count) refuse(".count", array.count, "must be that of the first array");
    if (__builtin_mul_overflow(array.count, array.stride, &end)) {
      refuse(".stride", array.stride, "times the count must fit 64 bits");
    }
  }
}

void check_pairs(std::span<const ItemArray> source, std::span<const ItemArray> destination) {
  if (source.size() != destination.size()) {
    throw InvalidArgument(constructor, "destination", static_cast<long long>(destination.size()),
                          "must have as many arrays as source");
  }
  check_arrays("source", source);
  check_arrays("destination", destination);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i].plan.size() == destination[i].plan.size()) continue;
    throw InvalidArgument(constructor, entry("destination", i) + ".plan", destination[i].plan.size(),
                          "must have as many bytes as that of the source");
  }
}

gpu::Indices indices_of(const IndexList& list, std::int64_t bound) {
  return {list.values, list.bytes, bound};
}

/// Of a list that the host may read.
void check_values(std::string_view name, const gpu::Indices& list, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t index = list.at(k);
    if (list.holds(index)) continue;
    throw InvalidArgument(copying, entry(name, static_cast<std::size_t>(k)), index, out_of(list.bound));
  }
}

/// What must hold for a list in any memory.
void check_list(std::string_view name, const IndexList& list, std::int64_t count, std::int64_t bound) {
  if (list.bytes != 4 && list.bytes != 8) {
    throw InvalidArgument(copying, std::string(name) + ".bytes", list.bytes, "must be 4 or 8");
  }
  if (list.values == nullptr && count > bound) {
    throw InvalidArgument(
        copying, "count", count,
        "must be at most " + std::to_string(bound) + ", the items of each array, without a list");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(list.values);
  if (address % static_cast<std::uintptr_t>(list.bytes) != 0) {
    throw InvalidArgument(copying, std::string(name) + ".values", static_cast<long long>(address),
                          "must be a multiple of " + std::to_string(list.bytes));
  }
}

}  // namespace

struct IndexedCopy::State {
  std::vector<ItemArray> source, destination;
  std::int64_t source_count = 0, destination_count = 0;
  int device = -1;                            ///< that moves the items; -1: the host does
  std::optional<gpu::IndexedCopies> kernels;  ///< where a device does

  State(std::span<const ItemArray> from, std::span<const ItemArray> to) {
    check_pairs(from, to);
    if (from.empty()) return;
    source_count = from.front().count;
    destination_count = to.front().count;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i].plan.size() == 0) continue;
      source.push_back(from[i]);
      destination.push_back(to[i]);
    }
    if (gpu::present() && source_count > 0 && destination_count > 0) find_device(from, to);
  }

  /// Which device moves the items, if one has to.
  void find_device(std::span<const ItemArray> from, std::span<const ItemArray> to) {
    std::vector<engine::Route> routes;
    for (std::size_t i = 0; i < from.size(); ++i) routes.emplace_back(first_item(to[i]), first_item(from[i]));
    for (std::size_t i = 0; device < 0 && i < routes.size(); ++i) {
      if (from[i].plan.size() > 0 && !routes[i].on_host()) device = routes[i].device(-1);
    }
    if (device < 0) return;
    std::vector<gpu::PairOfItems> pairs;
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::int64_t bytes = from[i].plan.size();
      if (bytes == 0) continue;
      if (bytes > gpu::IndexedCopies::longest) {
        throw InvalidArgument(constructor, entry("source", i) + ".plan", bytes, "must have at most 1 GiB");
      }
      engine::check_reachable(constructor, entry("source", i) + ".buffer", routes[i].source, device);
      engine::check_reachable(constructor, entry("destination", i) + ".buffer", routes[i].destination,
                              device);
      pairs.push_back({{routes[i].source.of(first_item(from[i])), from[i].stride},
                       {routes[i].destination.of(first_item(to[i])), to[i].stride},
                       bytes});
    }
    kernels.emplace(pairs, device);
  }

  void copy(const IndexList& from, const IndexList& to, std::int64_t count, Stream stream) {
    if (count < 0) throw InvalidArgument(copying, "count", count, "must not be negative");
    check();
    if (count == 0 || source.empty()) return;
    check_list("from", from, count, source_count);
    check_list("to", to, count, destination_count);
    if (source_count == 0 || destination_count == 0) {
      throw InvalidArgument(copying, "count", count, "must be 0, since there are arrays without items");
    }
    const gpu::Indices read = indices_of(from, source_count), written = indices_of(to, destination_count);
    if (!kernels) return copy_on_host(read, written, count);
    const gpu::Indices sources = taken("from", read, count, stream);
    const gpu::Indices destinations = taken("to", written, count, stream);
    if (const int other = gpu::stream_device(stream); other >= 0 && other != device) {
      throw InvalidArgument(copying, "stream", "one of device " + std::to_string(other),
                            "must be one of device " + std::to_string(device) + ", which moves the items");
    }
    kernels->launch(sources, destinations, count, stream);
  }

  void copy_on_host(const gpu::Indices& from, const gpu::Indices& to, std::int64_t count) const {
    check_on_host("from", from);
    check_on_host("to", to);
    check_values("from", from, count);
    check_values("to", to, count);
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < source.size(); ++i) {
        gpu::Side read = first_item(source[i]);
        gpu::Side written = first_item(destination[i]);
        read.address = gpu::displaced(read.address, from.at(k) * source[i].stride);
        written.address = gpu::displaced(written.address, to.at(k) * destination[i].stride);
        engine::move_on_host(written, read, {0, source[i].plan.size()});
      }
    }
  }

  static void check_on_host(std::string_view name, const gpu::Indices& list) {
    if (list.values == nullptr || pointer_info(list.values).kind != MemoryKind::device) return;
    throw InvalidArgument(copying, name, "memory of a device", "must be host memory, as the arrays are");
  }

  /// The list as the device takes it.
  gpu::Indices taken(std::string_view name, gpu::Indices list, std::int64_t count, Stream stream) const {
    if (list.values == nullptr) return list;
    const engine::SideLocation place{list.values, gpu::pointer_info(list.values)};
    if (place.on_device()) {
      engine::check_reachable(copying, name, place, device);
      return list;
    }
    if (gpu::capturing(stream)) {
      throw InvalidArgument(copying, name, "host memory",
                            "must be memory of a device where the stream is captured");
    }
    check_values(name, list, count);
    list.on_host = true;
    return list;
  }

  void check() {
    if (!kernels) return;
    const std::optional<gpu::WrongIndex> wrong = kernels->take_wrong_index();
    if (!wrong) return;
    throw InvalidArgument(copying,
                          entry(wrong->of_source ? "from" : "to", static_cast<std::size_t>(wrong->position)),
                          wrong->value, out_of(wrong->of_source ? source_count : destination_count));
  }
};

IndexedCopy::IndexedCopy(std::span<const ItemArray> source, std::span<const ItemArray> destination)
    : state_(std::make_unique<State>(source, destination)) {}
IndexedCopy::IndexedCopy(IndexedCopy&&) noexcept = default;
IndexedCopy& IndexedCopy::operator=(IndexedCopy&&) noexcept = default;
IndexedCopy::~IndexedCopy() = default;

void IndexedCopy::copy(IndexList from, IndexList to, std::int64_t count, Stream stream) {
  state_->copy(from, to, count, stream);
}

void IndexedCopy::check() { state_->check(); }

}  // namespace typewarp
