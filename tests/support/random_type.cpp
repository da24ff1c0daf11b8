// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/random_type.hpp"

#include "support/random.hpp"
#include "support/type_map.hpp"

#include <algorithm>
#include <array>

namespace typewarp::test {

namespace {

using Integers = std::vector<std::int64_t>;

// Those that every MPI has, whether it was built with a Fortran compiler or not.
constexpr std::array leaves{
    Named::char_,          Named::signed_char, Named::byte,          Named::short_,
    Named::unsigned_short, Named::int_,        Named::unsigned_int,  Named::long_,
    Named::long_long,      Named::float_,      Named::double_,       Named::long_double,
    Named::c_bool,         Named::int8,        Named::int16,         Named::int32,
    Named::int64,          Named::uint8,       Named::uint16,        Named::uint32,
    Named::uint64,         Named::wchar,       Named::complex_float, Named::complex_double,
    Named::aint,           Named::count,       Named::float_int,     Named::double_int,
    Named::long_int,       Named::two_int,     Named::short_int,     Named::long_double_int,
};

std::int64_t absolute(std::int64_t value) { return value < 0 ? -value : value; }

std::size_t dimension(std::size_t k, std::size_t dimensions, Order order) {
  return order == Order::fortran ? k : dimensions - 1 - k;
}

/// Draws types. Every draw has its own statement: the order in which arguments are evaluated is the
/// compiler's choice.
class Generator {
 public:
  Generator(std::uint64_t seed, const RandomTypeOptions& options) : random_(seed), options_(options) {}

  Datatype item() {
    while (true) {
      const std::int64_t depth = random_.range(0, options_.depth);
      Datatype type = tree(depth, options_.max_size);
      if (depth < options_.depth && random_.one_in(4)) type = interlocked(type);
      if (options_.overlap || disjoint(byte_map(type, 3))) return type;
      if (depth == options_.depth) continue;  // no constructor left to keep the items apart
      const std::int64_t gap = random_.range(0, 9);
      const Datatype apart = resized(type, type.true_lb(), type.true_extent() + gap);
      if (acceptable(apart, options_.max_size)) return apart;
    }
  }

 private:
  Datatype named(std::int64_t max_size) {
    while (true) {
      const Named leaf = leaves[static_cast<std::size_t>(random_.range(0, leaves.size() - 1))];
      if (Datatype(leaf).size() <= max_size) return leaf;
      if (max_size < 16) return Named::byte;
    }
  }

  Datatype tree(std::int64_t depth, std::int64_t max_size) {
    if (depth == 0) return named(max_size);
    const Datatype child = tree(depth - 1, max_size);
    for (int attempt = 0; attempt < 8; ++attempt) {
      const Datatype type = around(child, depth, max_size);
      // Zero counts leave nothing of all that is below: an empty type now and then is enough.
      const bool emptied = type.size() == 0 && child.size() > 0;
      if (acceptable(type, max_size) && (!emptied || random_.one_in(6))) return type;
    }
    return dup(child);
  }

  bool acceptable(const Datatype& type, std::int64_t max_size) const {
    const std::int64_t most = options_.max_extent;
    const std::array lengths{type.lb(),      type.ub(),      type.extent(),
                             type.true_lb(), type.true_ub(), type.true_extent()};
    const auto fits = [&](std::int64_t length) { return absolute(length) <= most; };
    return type.size() <= max_size && std::all_of(lengths.begin(), lengths.end(), fits) &&
           (options_.overlap || disjoint(byte_map(type)));
  }

  Datatype around(const Datatype& child, std::int64_t depth, std::int64_t max_size) {
    switch (random_.range(0, 12)) {
      case 0:
        return contiguous(count(child, max_size), child);
      case 1:
        return strided(child, max_size, true);
      case 2:
        return strided(child, max_size, false);
      case 3:
        return listed(child, max_size, true);
      case 4:
        return listed(child, max_size, false);
      case 5:
        return equal_blocks(child, max_size, true);
      case 6:
        return equal_blocks(child, max_size, false);
      case 7:
      case 8:
        return members(child, depth, max_size);
      case 9:
        return box(child, max_size);
      case 10:
        return child.size() == 0 ? dup(child) : dealt(child);  // Open MPI refuses a darray of nothing
      case 11:
        return resizing(child);
      default:
        return dup(child);
    }
  }

  /// Items that begin in the gaps of the items before, if the gaps allow it.
  Datatype interlocked(const Datatype& type) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const std::int64_t extent = random_.range(1, std::max<std::int64_t>(1, type.true_extent() / 2));
      const Datatype closer = resized(type, type.true_lb(), extent);
      if (disjoint(byte_map(closer, 3))) return closer;
    }
    return type;
  }

  /// Mostly few, at times many, sometimes none; beyond one, within the size allowed.
  std::int64_t count(const Datatype& child, std::int64_t max_size) {
    const std::int64_t affordable =
        std::max<std::int64_t>(1, max_size / std::max<std::int64_t>(1, child.size()));
    if (random_.one_in(16)) return 0;
    const std::int64_t wanted = random_.range(1, random_.one_in(4) ? 64 : 5);
    return std::min(wanted, affordable);
  }

  /// From one block to the next, in units: mostly at least `length`, so that blocks keep apart.
  std::int64_t step(std::int64_t length, std::int64_t gap) {
    if (random_.one_in(options_.overlap ? 2 : 10)) return random_.range(-gap, gap);
    const std::int64_t distance = length + (random_.one_in(3) ? 0 : random_.range(0, gap));
    return random_.one_in(4) ? -distance : distance;
  }

  /// Bytes that `blocklength` children cover.
  static std::int64_t span(const Datatype& child, std::int64_t blocklength) {
    return std::max<std::int64_t>(0, blocklength - 1) * absolute(child.extent()) + child.true_extent();
  }

  Datatype strided(const Datatype& child, std::int64_t max_size, bool in_extents) {
    const std::int64_t blocks = count(child, max_size);
    const std::int64_t blocklength = count(child, max_size / std::max<std::int64_t>(1, blocks));
    if (in_extents) return vector(blocks, blocklength, step(blocklength, 4), child);
    return hvector(blocks, blocklength, step(span(child, blocklength), 24), child);
  }

  /// One displacement for each length, so that blocks keep apart mostly, in any order.
  Integers displacements(const Integers& lengths, std::int64_t gap) {
    Integers places;
    std::int64_t next = random_.range(-gap, gap);
    for (const std::int64_t length : lengths) {
      places.push_back(next);
      next += length + (random_.one_in(2) ? 0 : random_.range(0, gap));
      if (options_.overlap && random_.one_in(4)) next -= random_.range(0, length);
    }
    return places;
  }

  Datatype listed(const Datatype& child, std::int64_t max_size, bool in_extents) {
    Integers blocklengths(static_cast<std::size_t>(random_.range(0, 7)));
    for (std::int64_t& length : blocklengths) length = count(child, max_size / 8);
    Integers lengths = blocklengths;
    if (!in_extents) {
      for (std::int64_t& length : lengths) length = span(child, length);
    }
    Integers places = displacements(lengths, in_extents ? 3 : 20);
    if (random_.one_in(3)) {
      std::reverse(places.begin(), places.end());
      std::reverse(blocklengths.begin(), blocklengths.end());
    }
    if (in_extents) return indexed(std::move(blocklengths), std::move(places), child);
    return hindexed(std::move(blocklengths), std::move(places), child);
  }

  Datatype equal_blocks(const Datatype& child, std::int64_t max_size, bool in_extents) {
    const std::int64_t blocklength = count(child, max_size / 8);
    const auto blocks = static_cast<std::size_t>(random_.range(0, 9));
    Integers places = displacements(Integers(blocks, in_extents ? blocklength : span(child, blocklength)),
                                    in_extents ? 3 : 20);
    if (random_.one_in(3)) random_.shuffle(places);
    if (in_extents) return indexed_block(blocklength, std::move(places), child);
    return hindexed_block(blocklength, std::move(places), child);
  }

  Datatype members(const Datatype& first, std::int64_t depth, std::int64_t max_size) {
    std::vector<Datatype> children{first};
    while (children.size() < 5 && !random_.one_in(4))
      children.push_back(tree(random_.range(0, depth - 1), max_size / 4));
    if (random_.one_in(24)) children.clear();
    random_.shuffle(children);
    const bool aligned = random_.one_in(2);
    Integers blocklengths;
    Integers places;
    std::int64_t next = aligned ? 0 : random_.range(-20, 20);
    for (const Datatype& child : children) {
      blocklengths.push_back(count(child, max_size / 8));
      if (aligned) next = (next + 15) / 16 * 16;
      places.push_back(next - child.true_lb());
      next += span(child, blocklengths.back()) + (random_.one_in(2) ? 0 : random_.range(0, 20));
    }
    return structure(std::move(blocklengths), std::move(places), std::move(children));
  }

  Datatype box(const Datatype& child, std::int64_t max_size) {
    const auto dimensions = static_cast<std::size_t>(random_.range(1, 4));
    const Order order = random_.one_in(2) ? Order::c : Order::fortran;
    Integers sizes(dimensions);
    Integers subsizes(dimensions);
    Integers starts(dimensions);
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t i = dimension(k, dimensions, order);
      sizes[i] = random_.range(1, 7);
      subsizes[i] = std::min(random_.range(1, sizes[i]), std::max<std::int64_t>(1, max_size / 16));
      starts[i] = random_.range(0, sizes[i] - subsizes[i]);
    }
    return subarray(std::move(sizes), std::move(subsizes), std::move(starts), order, child);
  }

  Datatype dealt(const Datatype& child) {
    const auto dimensions = static_cast<std::size_t>(random_.range(1, 3));
    Integers sizes(dimensions);
    Integers arguments(dimensions);
    Integers processes(dimensions);
    std::vector<Distribution> distributions(dimensions);
    std::int64_t size = 1;
    for (std::size_t i = 0; i < dimensions; ++i) {
      sizes[i] = random_.range(1, 9);
      distributions[i] = static_cast<Distribution>(random_.range(0, 2));
      processes[i] = distributions[i] == Distribution::none ? 1 : random_.range(1, 3);
      const std::int64_t least =
          distributions[i] == Distribution::block ? (sizes[i] - 1) / processes[i] + 1 : 1;
      arguments[i] = random_.one_in(3) ? default_distribution_argument : least + random_.range(0, 3);
      size *= processes[i];
    }
    const std::int64_t rank = random_.range(0, size - 1);
    const Order order = random_.one_in(2) ? Order::c : Order::fortran;
    return darray(size, rank, std::move(sizes), std::move(distributions), std::move(arguments),
                  std::move(processes), order, child);
  }

  /// Around the data, far beyond it, or so small that the next items start inside this one.
  Datatype resizing(const Datatype& child) {
    const std::int64_t lb = random_.one_in(2) ? child.true_lb() : random_.range(-40, 40);
    const std::int64_t around = child.true_extent();
    std::int64_t extent = around + random_.range(0, 20);
    if (random_.one_in(3)) extent = random_.range(0, around);
    if (random_.one_in(6)) extent = random_.range(1, 8);
    if (random_.one_in(6)) extent = 4 * around + random_.range(0, 100);
    return resized(child, lb, extent);
  }

  Random random_;
  RandomTypeOptions options_;
};

}  // namespace

Datatype random_type(std::uint64_t seed, const RandomTypeOptions& options) {
  return Generator(seed, options).item();
}

}  // namespace typewarp::test
