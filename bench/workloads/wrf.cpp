// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ddtbench.hpp"

/// WRF: the halo of four 2-D, three 3-D and two 4-D float arrays as one struct of absolute addresses.
namespace typewarp::bench {
namespace {

constexpr std::int64_t ny = 65;
constexpr std::int64_t slices = 2;  // of a 4-D array, of which the last is sent

struct Halo {
  std::string axis, grid;
  std::int64_t nx, nz;      // of the arrays, x fastest
  std::int64_t sx, sy, sz;  // of the part that is sent
  std::int64_t x, y, z;     // where that starts
};

std::int64_t bytes_of(const Halo& halo, int dimensions) {
  const std::int64_t plane = 4 * halo.nx * halo.nz;
  return dimensions == 2 ? plane : dimensions == 3 ? plane * ny : plane * ny * slices;
}

/// Relative to the first element that is sent.
Datatype as_vector(const Halo& halo, int dimensions) {
  if (dimensions == 2) return vector(halo.sz, halo.sx, halo.nx, Named::float_);
  const Datatype three =
      hvector(halo.sz, 1, 4 * halo.nx * ny, vector(halo.sy, halo.sx, halo.nx, Named::float_));
  return dimensions == 3 ? three : hvector(1, 1, 4 * halo.nx * ny * halo.nz, three);
}

std::int64_t first_element(const Halo& halo, int dimensions) {
  if (dimensions == 2) return 4 * (halo.x + halo.nx * halo.z);
  const std::int64_t slice = dimensions == 4 ? (slices - 1) * halo.nx * ny * halo.nz : 0;
  return 4 * (slice + halo.x + halo.nx * (halo.y + ny * halo.z));
}

/// Relative to the array.
Datatype as_subarray(const Halo& h, int dimensions) {
  if (dimensions == 2) return subarray({h.nz, h.nx}, {h.sz, h.sx}, {h.z, h.x}, Order::c, Named::float_);
  if (dimensions == 3) {
    return subarray({h.nz, ny, h.nx}, {h.sz, h.sy, h.sx}, {h.z, h.y, h.x}, Order::c, Named::float_);
  }
  return subarray({slices, h.nz, ny, h.nx}, {1, h.sz, h.sy, h.sx}, {slices - 1, h.z, h.y, h.x}, Order::c,
                  Named::float_);
}

Workload make(const Allocate& allocate, const Halo& halo, bool vectors) {
  Workload workload;
  std::vector<std::int64_t> displacements;
  std::vector<Datatype> members;
  for (const int dimensions : {2, 2, 2, 2, 3, 3, 3, 4, 4}) {
    workload.memory.emplace_back(bytes_of(halo, dimensions), allocate);
    displacements.push_back(address(workload.memory.back()) +
                            (vectors ? first_element(halo, dimensions) : 0));
    members.push_back(vectors ? as_vector(halo, dimensions) : as_subarray(halo, dimensions));
  }
  workload.send = {structure(std::vector<std::int64_t>(members.size(), 1), displacements, members), 1,
                   nullptr};
  workload.receive = workload.send;
  return workload;
}

}  // namespace

void append_wrf(std::vector<NamedWorkload>& cases) {
  const std::vector<Halo> halos{
      {"y", "2x2", 32, 52, 23, 65, 3, 5, 0, 7},  {"y", "3x3", 27, 41, 19, 65, 3, 4, 0, 7},
      {"y", "4x4", 24, 34, 16, 65, 3, 4, 0, 7},  {"y", "5x5", 22, 30, 14, 65, 3, 4, 0, 7},
      {"y", "8x8", 19, 24, 11, 65, 3, 4, 0, 7},  {"x", "2x2", 32, 52, 3, 65, 44, 22, 0, 4},
      {"x", "4x4", 24, 34, 3, 65, 26, 14, 0, 4}, {"x", "8x8", 19, 24, 3, 65, 16, 9, 0, 4}};
  for (const Halo& halo : halos) {
    for (const bool vectors : {true, false}) {
      std::string name = "WRF_";
      name.append(halo.axis).append(vectors ? "_vec/" : "_sa/").append(halo.grid);
      cases.push_back({name, [=](const Allocate& a) { return make(a, halo, vectors); }});
    }
  }
}

}  // namespace typewarp::bench
