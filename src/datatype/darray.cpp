// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/calculus.hpp"
#include "datatype/make.hpp"

#include <algorithm>

namespace typewarp {

using namespace datatype;  // NOLINT(google-build-using-namespace): these are that namespace's constructors

namespace {

constexpr std::string_view call = "typewarp::darray";
using Integers = std::vector<std::int64_t>;

void require_positive(const Argument& argument) {
  if (argument.value < 1) throw_invalid(argument, "must be positive");
}

void check_distribution(const Darray& array, std::size_t i) {
  const Argument argument = entry(call, "distribution_arguments", array.distribution_arguments, i);
  const Argument processes = entry(call, "process_sizes", array.process_sizes, i);
  if (array.distributions[i] == Distribution::none) {
    if (processes.value != 1) throw_invalid(processes, "must be 1 in a dimension that is not distributed");
    return;
  }
  if (argument.value == default_distribution_argument) return;
  if (argument.value < 1) throw_invalid(argument, "must be positive, or default_distribution_argument");
  const bool covers = (array.global_sizes[i] - 1) / argument.value < processes.value;
  if (array.distributions[i] == Distribution::block && !covers) {
    throw_invalid(argument, "times process_sizes, which is " + std::to_string(processes.value) +
                                ", must cover global_sizes, which is " +
                                std::to_string(array.global_sizes[i]));
  }
}

void check(const Darray& array) {
  const std::size_t dimensions = array.global_sizes.size();
  if (dimensions == 0) throw InvalidArgument(call, "global_sizes", "0 entries", "must have one a dimension");
  require_entries(call, "distributions", array.distributions.size(), "global_sizes", dimensions);
  require_entries(call, "distribution_arguments", array.distribution_arguments.size(), "global_sizes",
                  dimensions);
  require_entries(call, "process_sizes", array.process_sizes.size(), "global_sizes", dimensions);
  const Argument size{call, "size", array.size};
  const Argument rank{call, "rank", array.rank};
  require_positive(size);
  require_not_negative(rank);
  if (rank.value >= size.value)
    throw_invalid(rank, "must be less than size, which is " + std::to_string(size.value));
  std::int64_t processes = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const Argument extent = entry(call, "process_sizes", array.process_sizes, i);
    require_positive(entry(call, "global_sizes", array.global_sizes, i));
    require_positive(extent);
    check_distribution(array, i);
    processes = checked_multiply(processes, extent.value, extent, "the number of processes");
  }
  if (processes != size.value) {
    throw_invalid(size, "must be the product of process_sizes, which is " + std::to_string(processes));
  }
}

/// Indices that one process owns in one dimension: `blocks` whole blocks of `block` indices, `cycle` apart,
/// and `rest` indices of a last, shorter block. All distributions are cyclic ones (MPI 5.0, section 5.1.4).
struct Share {
  std::int64_t first = 0, block = 0, cycle = 0, blocks = 0, rest = 0;
};

Share share(std::int64_t global, Distribution distribution, std::int64_t argument, std::int64_t processes,
            std::int64_t coordinate) {
  const bool by_default = argument == default_distribution_argument;
  Share share;
  share.block = global;
  if (distribution == Distribution::block) share.block = by_default ? (global - 1) / processes + 1 : argument;
  if (distribution == Distribution::cyclic) share.block = by_default ? 1 : argument;
  share.block = std::min(share.block, global);

  const std::int64_t all = (global - 1) / share.block + 1;
  const std::int64_t owned = all / processes + (coordinate < all % processes ? 1 : 0);
  if (owned == 0) return share;
  share.first = coordinate * share.block;
  // With a single block there is no next one, and the product might not fit.
  share.cycle = owned > 1 ? processes * share.block : 0;
  const bool owns_last = (all - 1) % processes == coordinate;
  share.rest = owns_last ? global % share.block : 0;
  share.blocks = share.rest > 0 ? owned - 1 : owned;
  return share;
}

/// The share of one dimension, whose neighbouring indices are copies of `inner`, `stride` bytes apart. Every
/// stride and displacement here is less than the extent of the global array.
Datatype spread(const Share& share, std::int64_t stride, const Datatype& inner) {
  const Datatype whole =
      hvector(share.blocks, 1, share.cycle * stride, hvector(share.block, 1, stride, inner));
  const Datatype owned = share.rest == 0 ? whole
                                         : structure({1, 1}, {0, share.blocks * share.cycle * stride},
                                                     {whole, hvector(share.rest, 1, stride, inner)});
  return hindexed_block(1, {share.first * stride}, owned);
}

Datatype expanded(const Darray& array) {
  Integers coordinates(array.process_sizes.size());
  std::int64_t rank = array.rank;
  for (std::size_t i = coordinates.size(); i-- > 0; rank /= array.process_sizes[i]) {
    coordinates[i] = rank % array.process_sizes[i];
  }
  Integers strides(coordinates.size());
  std::int64_t stride = array.child.extent();
  const std::size_t dimensions = coordinates.size();
  const auto dimension = [&](std::size_t k) {
    return array.order == Order::fortran ? k : dimensions - 1 - k;
  };
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t i = dimension(k);
    strides[i] = stride;
    stride = checked_multiply(stride, array.global_sizes[i],
                              entry(call, "global_sizes", array.global_sizes, i), "the extent in bytes");
  }
  Datatype owned = array.child;
  try {
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t i = dimension(k);
      owned = spread(share(array.global_sizes[i], array.distributions[i], array.distribution_arguments[i],
                           array.process_sizes[i], coordinates[i]),
                     strides[i], owned);
    }
  } catch (const InvalidArgument&) {
    // The arguments are valid and the global array fits, so it is the child that reaches too far beyond its
    // extent.
    throw InvalidArgument(call, "child", std::to_string(array.child.size()) + " bytes",
                          "the size or a bound of the part that this process owns exceeds 64 bits");
  }
  return resized(owned, 0, stride);
}

}  // namespace

Datatype darray(std::int64_t size, std::int64_t rank, Integers global_sizes,
                std::vector<Distribution> distributions, Integers distribution_arguments,
                Integers process_sizes, Order order, const Datatype& child) {
  attributes_of(call, child);
  Darray array{size,
               rank,
               std::move(global_sizes),
               std::move(distributions),
               std::move(distribution_arguments),
               std::move(process_sizes),
               order,
               child,
               {}};
  check(array);
  array.expansion = expanded(array);
  const Attributes attributes = datatype::node_of(array.expansion).attributes;
  return make(std::move(array), attributes);
}

}  // namespace typewarp
