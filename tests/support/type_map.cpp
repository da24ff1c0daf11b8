// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/type_map.hpp"

#include "datatype/node.hpp"

#include <algorithm>
#include <utility>

namespace typewarp::test {

namespace {

using namespace datatype;  // NOLINT(google-build-using-namespace): every constructor is enumerated

/// A type map with the markers that bound it.
struct Map {
  std::vector<Element> elements;
  std::int64_t lb = 0, ub = 0, alignment = 1;
  bool marked = false;  ///< lb and ub are markers, not where data begins and ends
  bool started = false;

  std::int64_t extent() const { return ub - lb; }

  void place(const Map& copy, std::int64_t displacement) {
    for (const Element& element : copy.elements) {
      elements.push_back({element.type, displacement + element.displacement, element.size});
    }
    if (!copy.elements.empty()) alignment = std::max(alignment, copy.alignment);
    const std::int64_t low = displacement + copy.lb;
    const std::int64_t high = displacement + copy.ub;
    if (!started || (copy.marked && !marked)) {
      lb = low;
      ub = high;
    } else if (copy.marked == marked) {
      lb = std::min(lb, low);
      ub = std::max(ub, high);
    }
    marked = marked || copy.marked;
    started = true;
  }

  void mark(std::int64_t low, std::int64_t high) {
    lb = low;
    ub = high;
    marked = true;
  }

  void finish() {
    if (elements.empty()) *this = {};
    while (!marked && extent() % alignment != 0) ++ub;
  }
};

Map map_of(const Datatype& datatype);

void place_block(Map& map, const Map& child, std::int64_t blocklength, std::int64_t displacement) {
  for (std::int64_t j = 0; j < blocklength; ++j) map.place(child, displacement + j * child.extent());
}

Map single(Named type, std::int64_t alignment) {
  const std::int64_t size = Datatype(type).size();
  return {{{type, 0, size}}, 0, size, alignment, false, true};
}

Map pair(Named first, Named second, std::int64_t displacement) {
  Map map;
  map.place(single(first, Datatype(first).size()), 0);
  map.place(single(second, Datatype(second).size()), displacement);
  map.finish();
  return map;
}

Map enumerate(Named named) {
  switch (named) {
    case Named::float_int:
      return pair(Named::float_, Named::int_, 4);
    case Named::double_int:
      return pair(Named::double_, Named::int_, 8);
    case Named::long_int:
      return pair(Named::long_, Named::int_, 8);
    case Named::two_int:
      return pair(Named::int_, Named::int_, 4);
    case Named::short_int:
      return pair(Named::short_, Named::int_, 4);
    case Named::long_double_int:
      return pair(Named::long_double, Named::int_, 16);
    case Named::two_real:
      return pair(Named::real, Named::real, 4);
    case Named::two_double_precision:
      return pair(Named::double_precision, Named::double_precision, 8);
    case Named::two_integer:
      return pair(Named::integer, Named::integer, 4);
    case Named::complex_float:
    case Named::complex_double:
    case Named::complex_long_double:
    case Named::cxx_complex_float:
    case Named::cxx_complex_double:
    case Named::cxx_complex_long_double:
    case Named::complex:
    case Named::double_complex:
    case Named::complex8:
    case Named::complex16:
    case Named::complex32:
      return single(named, Datatype(named).size() / 2);
    default:
      return single(named, Datatype(named).size());
  }
}

Map strided(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Map& child) {
  Map map;
  map.elements.reserve(static_cast<std::size_t>(count * blocklength) * child.elements.size());
  for (std::int64_t i = 0; i < count; ++i) place_block(map, child, blocklength, i * stride);
  map.finish();
  return map;
}

Map enumerate(const Contiguous& node) { return strided(1, node.count, 0, map_of(node.child)); }

Map enumerate(const Vector& node) {
  const Map child = map_of(node.child);
  return strided(node.count, node.blocklength, node.stride * child.extent(), child);
}

Map enumerate(const Hvector& node) {
  return strided(node.count, node.blocklength, node.stride, map_of(node.child));
}

Map listed(const std::vector<std::int64_t>& blocklengths, const std::vector<std::int64_t>& displacements,
           std::int64_t unit, const Map& child) {
  Map map;
  for (std::size_t i = 0; i < displacements.size(); ++i) {
    place_block(map, child, blocklengths[i], displacements[i] * unit);
  }
  map.finish();
  return map;
}

Map enumerate(const Indexed& node) {
  const Map child = map_of(node.child);
  return listed(node.blocklengths, node.displacements, child.extent(), child);
}

Map enumerate(const Hindexed& node) {
  return listed(node.blocklengths, node.displacements, 1, map_of(node.child));
}

Map enumerate(const IndexedBlock& node) {
  const Map child = map_of(node.child);
  const std::vector<std::int64_t> blocklengths(node.displacements.size(), node.blocklength);
  return listed(blocklengths, node.displacements, child.extent(), child);
}

Map enumerate(const HindexedBlock& node) {
  const std::vector<std::int64_t> blocklengths(node.displacements.size(), node.blocklength);
  return listed(blocklengths, node.displacements, 1, map_of(node.child));
}

Map enumerate(const Struct& node) {
  Map map;
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    place_block(map, map_of(node.children[i]), node.blocklengths[i], node.displacements[i]);
  }
  map.finish();
  return map;
}

/// Visits every index of an array in storage order, and places the child where `selected(index)` holds.
template <typename Selected>
Map array(const std::vector<std::int64_t>& sizes, Order order, const Map& child, Selected selected) {
  std::int64_t total = 1;
  for (std::int64_t size : sizes) total *= size;
  Map map;
  std::vector<std::int64_t> index(sizes.size());
  for (std::int64_t position = 0; position < total; ++position) {
    std::int64_t rest = position;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::size_t dimension = order == Order::fortran ? k : sizes.size() - 1 - k;
      index[dimension] = rest % sizes[dimension];
      rest /= sizes[dimension];
    }
    if (selected(index)) map.place(child, position * child.extent());
  }
  map.finish();
  map.mark(0, total * child.extent());
  return map;
}

Map enumerate(const Subarray& node) {
  return array(node.sizes, node.order, map_of(node.child), [&](const std::vector<std::int64_t>& index) {
    bool inside = true;
    for (std::size_t d = 0; d < index.size(); ++d) {
      inside = inside && index[d] >= node.starts[d] && index[d] < node.starts[d] + node.subsizes[d];
    }
    return inside;
  });
}

/// Which process of its row owns an index (MPI 5.0, section 5.1.4: every distribution is a cyclic one).
std::int64_t owner(const Darray& node, std::size_t d, std::int64_t index) {
  const bool by_default = node.distribution_arguments[d] == default_distribution_argument;
  const std::int64_t size = node.global_sizes[d];
  const std::int64_t processes = node.process_sizes[d];
  std::int64_t block = by_default ? 1 : node.distribution_arguments[d];
  if (node.distributions[d] == Distribution::none) block = size;
  if (node.distributions[d] == Distribution::block && by_default) block = (size + processes - 1) / processes;
  return index / block % processes;
}

Map enumerate(const Darray& node) {
  std::vector<std::int64_t> coordinates(node.process_sizes.size());
  std::int64_t row = node.size;
  std::int64_t rank = node.rank;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    row /= node.process_sizes[d];
    coordinates[d] = rank / row;
    rank %= row;
  }
  return array(node.global_sizes, node.order, map_of(node.child),
               [&](const std::vector<std::int64_t>& index) {
                 bool owned = true;
                 for (std::size_t d = 0; d < index.size(); ++d)
                   owned = owned && owner(node, d, index[d]) == coordinates[d];
                 return owned;
               });
}

Map enumerate(const Resized& node) {
  Map map = map_of(node.child);
  map.mark(node.lb, node.lb + node.extent);
  return map;
}

Map enumerate(const Dup& node) { return map_of(node.child); }

Map map_of(const Datatype& datatype) {
  return std::visit([](const auto& node) { return enumerate(node); },
                    datatype::node_of(datatype).constructor);
}

}  // namespace

Bounds bounds(const Datatype& datatype) {
  const Map map = map_of(datatype);
  return {map.lb, map.ub};
}

std::vector<Element> type_map(const Datatype& datatype, std::int64_t count) {
  Map item = map_of(datatype);
  if (count == 1) return std::move(item.elements);
  Map map;
  place_block(map, item, count, 0);
  return map.elements;
}

std::vector<std::int64_t> byte_map(const Datatype& datatype, std::int64_t count) {
  std::vector<std::int64_t> bytes;
  for (const Element& element : type_map(datatype, count)) {
    for (std::int64_t i = 0; i < element.size; ++i) bytes.push_back(element.displacement + i);
  }
  return bytes;
}

bool disjoint(std::vector<std::int64_t> bytes) {
  std::ranges::sort(bytes);
  return std::ranges::adjacent_find(bytes) == bytes.end();
}

}  // namespace typewarp::test
