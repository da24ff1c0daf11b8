// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/halo_field.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace typewarp::halo {
namespace {

constexpr std::string_view call = "typewarp::halo::Storage";
using Integers = std::vector<std::int64_t>;

std::string entry(const char* name, std::size_t d) {
  return std::string(name) + "[" + std::to_string(d) + "]";
}

template <typename Value>
void require_entries(const char* name, const std::vector<Value>& values, std::size_t dimensions) {
  if (values.size() == dimensions) return;
  throw InvalidArgument(call, std::string(name) + ".size()", static_cast<long long>(values.size()),
                        "must be " + std::to_string(dimensions) + ", one entry a dimension");
}

/// The dimension that has the k-th largest stride, for each k.
std::vector<std::size_t> inverse(const std::vector<int>& map) {
  constexpr std::size_t none = max_dimensions;
  std::vector<std::size_t> dimensions(map.size(), none);
  for (std::size_t d = 0; d < map.size(); ++d) {
    const auto place = static_cast<std::size_t>(map[d]);
    if (map[d] < 0 || place >= map.size() || dimensions[place] != none) {
      throw InvalidArgument(call, entry("map", d), map[d],
                            "must be one of 0 to " + std::to_string(map.size() - 1) + ", each once");
    }
    dimensions[place] = d;
  }
  return dimensions;
}

/// That each step leads beyond all that the shorter ones reach.
void check_overlap(const Integers& strides, std::span<const Descriptor> descriptors, std::int64_t extent) {
  std::vector<std::size_t> shortest_first(strides.size());
  std::iota(shortest_first.begin(), shortest_first.end(), std::size_t{0});
  std::ranges::stable_sort(shortest_first, {}, [&](std::size_t d) { return std::abs(strides[d]); });
  std::int64_t reach = extent;
  for (const std::size_t d : shortest_first) {
    const std::int64_t steps = descriptors[d].total_length - 1;
    if (steps == 0) continue;
    if (std::abs(strides[d]) < reach) {
      throw InvalidArgument(call, entry("strides", d), strides[d],
                            "bytes must not be less than the " + std::to_string(reach) +
                                " that the elements of the shorter strides take");
    }
    std::int64_t further = 0;
    if (__builtin_mul_overflow(std::abs(strides[d]), steps, &further) ||
        __builtin_add_overflow(reach, further, &reach)) {
      throw InvalidArgument(call, entry("strides", d), strides[d], "times the total length must fit 64 bits");
    }
  }
}

}  // namespace

Storage Storage::fortran() {
  Storage made;
  made.kind_ = Kind::fortran;
  return made;
}

Storage Storage::permuted(std::vector<int> map, Integers padding) {
  Storage made;
  made.kind_ = Kind::permuted;
  made.map_ = std::move(map);
  made.values_ = std::move(padding);
  return made;
}

Storage Storage::strided(Integers strides) {
  Storage made;
  made.kind_ = Kind::elements;
  made.values_ = std::move(strides);
  return made;
}

Storage Storage::byte_strided(Integers strides) {
  Storage made;
  made.kind_ = Kind::bytes;
  made.values_ = std::move(strides);
  return made;
}

Integers Storage::dense(std::span<const Descriptor> descriptors, std::int64_t extent) const {
  const std::size_t dimensions = descriptors.size();
  std::vector<int> map = map_;
  if (kind_ != Kind::permuted) {
    map.resize(dimensions);
    std::iota(map.begin(), map.end(), 0);
    if (kind_ == Kind::fortran) std::ranges::reverse(map);
  }
  require_entries("map", map, dimensions);
  if (!values_.empty()) require_entries("padding", values_, dimensions);
  const std::vector<std::size_t> largest_first = inverse(map);
  Integers strides(dimensions);
  std::int64_t stride = extent;
  for (std::size_t k = dimensions; k-- > 0;) {
    const std::size_t d = largest_first[k];
    strides[d] = stride;
    const std::int64_t padding = values_.empty() ? 0 : values_[d];
    if (padding < 0) throw InvalidArgument(call, entry("padding", d), padding, "must not be negative");
    std::int64_t length = 0;
    if (__builtin_add_overflow(descriptors[d].total_length, padding, &length) ||
        __builtin_mul_overflow(stride, length, &stride)) {
      throw InvalidArgument(call, "descriptors[" + std::to_string(d) + "].total_length",
                            descriptors[d].total_length,
                            "times the dimensions that are faster must fit 64 bits");
    }
  }
  return strides;
}

Integers Storage::strides(std::span<const Descriptor> descriptors, std::int64_t extent) const {
  if (kind_ != Kind::elements && kind_ != Kind::bytes) return dense(descriptors, extent);
  require_entries("strides", values_, descriptors.size());
  Integers strides = values_;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] == std::numeric_limits<std::int64_t>::min() ||
        (kind_ == Kind::elements && __builtin_mul_overflow(strides[d], extent, &strides[d]))) {
      throw InvalidArgument(call, entry("strides", d), values_[d], "in bytes must fit 64 bits");
    }
  }
  check_overlap(strides, descriptors, extent);
  return strides;
}

}  // namespace typewarp::halo
