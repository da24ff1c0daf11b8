// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <functional>
#include <vector>

/// Types of many levels.
namespace typewarp::test {

/// Types that use the level below twice on each level, spelled in different ways: 2^levels leaves of few
/// constructors.
struct SharedType {
  const char* name;
  std::function<Datatype(const Datatype&, std::int64_t extent)> level;
};

inline const std::vector<SharedType>& shared_types() {
  static const std::vector<SharedType> types{
      {"itself",
       [](const Datatype& t, std::int64_t s) {
         return structure({1, 1, 1}, {0, s + 1, 2 * s + 3}, {t, t, Named::char_});
       }},
      {"resized",
       [](const Datatype& t, std::int64_t s) {
         return structure({1, 1, 1}, {0, s + 1, 2 * s + 3}, {t, resized(t, 0, s + 1), Named::char_});
       }},
      {"dup", [](const Datatype& t, std::int64_t s) { return structure({1, 1}, {0, s + 7}, {t, dup(t)}); }},
      {"structs of one",
       [](const Datatype& t, std::int64_t s) {
         return structure(
             {1, 1, 1}, {0, s + 1, 2 * s + 3},
             {structure({1}, {0}, {t}), structure({1, 1}, {0, s}, {t, Named::byte}), Named::char_});
       }},
      {"repeated",
       [](const Datatype& t, std::int64_t s) {
         return structure({1, 1}, {0, 2 * s + 9}, {hvector(2, 1, s + 3, t), t});
       }},
  };
  return types;
}

inline Datatype shared_type(const SharedType& shared, int levels, Datatype type = Named::short_) {
  for (int i = 0; i < levels; ++i) type = shared.level(type, type.extent());
  return type;
}

/// `levels` constructors of every kind in turn, one around the other, each of one item.
inline Datatype deep_type(int levels) {
  const std::vector<std::function<Datatype(const Datatype&)>> constructors{
      [](const Datatype& t) { return contiguous(1, t); },
      [](const Datatype& t) { return vector(1, 1, 3, t); },
      [](const Datatype& t) { return hvector(1, 1, 3, t); },
      [](const Datatype& t) { return indexed({1}, {0}, t); },
      [](const Datatype& t) { return hindexed({1}, {0}, t); },
      [](const Datatype& t) { return indexed_block(1, {0}, t); },
      [](const Datatype& t) { return hindexed_block(1, {0}, t); },
      [](const Datatype& t) { return structure({1}, {0}, {t}); },
      [](const Datatype& t) { return subarray({1}, {1}, {0}, Order::c, t); },
      [](const Datatype& t) {
        return darray(1, 0, {1}, {Distribution::block}, {default_distribution_argument}, {1}, Order::c, t);
      },
      [](const Datatype& t) { return resized(t, 0, t.extent() + 8); },
      [](const Datatype& t) { return dup(t); },
  };
  Datatype type = vector(2, 1, 2, Named::int_);
  for (int i = 1; i < levels; ++i)
    type = constructors[static_cast<std::size_t>(i) % constructors.size()](type);
  return type;
}

}  // namespace typewarp::test
