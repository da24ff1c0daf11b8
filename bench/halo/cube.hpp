// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__CUDACC__)
#define TYPEWARP_BENCH_HALO_HD __host__ __device__
#else
#define TYPEWARP_BENCH_HALO_HD
#endif

/// What the cells of an array hold before and after an exchange: their place in the whole.
namespace typewarp::halo_bench {

/// A value that no owned cell has.
inline constexpr double untouched = -1;

/// Of a cell of an array, halos included.
struct Indices {
  std::int64_t of[3];
};
/// `length` is that of an edge of the array.
TYPEWARP_BENCH_HALO_HD inline Indices indices_of(std::int64_t cell, std::int64_t length) {
  return {{cell / length / length, cell / length % length, cell % length}};
}

/// Where a rank's part of a periodic whole lies. C order, dimension 0 is the slowest.
struct Cube {
  std::int64_t edge, width;
  std::int64_t origin[3];  ///< of the owned cells, in the whole
  std::int64_t whole[3];

  TYPEWARP_BENCH_HALO_HD std::int64_t length() const { return edge + 2 * width; }
  TYPEWARP_BENCH_HALO_HD std::int64_t cells() const { return length() * length() * length(); }
  /// Whether an index along a dimension is that of owned cells.
  TYPEWARP_BENCH_HALO_HD bool owns(std::int64_t index) const {
    return index >= width && index < width + edge;
  }
};

/// One array of one exchange: no cell of any other holds the same.
struct Contents {
  Cube cube;
  std::int64_t field;
  std::int64_t number;  ///< of the exchange, below 2^16: a double then holds every value

  /// After an exchange, all halos being filled by somebody.
  TYPEWARP_BENCH_HALO_HD double exchanged(const Indices& at) const {
    std::int64_t place = field;
    for (int d = 0; d < 3; ++d) {
      place = place * cube.whole[d] + wrapped(cube.origin[d] + at.of[d] - cube.width, cube.whole[d]);
    }
    return static_cast<double>((number << 36) + place);
  }
  TYPEWARP_BENCH_HALO_HD double before(const Indices& at) const {
    const bool owned = cube.owns(at.of[0]) && cube.owns(at.of[1]) && cube.owns(at.of[2]);
    return owned ? exchanged(at) : untouched;
  }

 private:
  /// Without a division, which would be most of what the host takes for large cubes. No halo is wider than
  /// the whole.
  TYPEWARP_BENCH_HALO_HD static std::int64_t wrapped(std::int64_t index, std::int64_t whole) {
    return index < 0 ? index + whole : index < whole ? index : index - whole;
  }
};

/// Cells of an array, halos included in the indices.
struct Span3 {
  std::int64_t begin[3], size[3];

  TYPEWARP_BENCH_HALO_HD std::int64_t cells() const { return size[0] * size[1] * size[2]; }
  TYPEWARP_BENCH_HALO_HD bool holds(const Indices& at) const {
    for (int d = 0; d < 3; ++d) {
      if (at.of[d] < begin[d] || at.of[d] >= begin[d] + size[d]) return false;
    }
    return true;
  }
};

/// Seven points: what work beside an exchange does.
struct Stencil {
  const double* now;
  double* next;
  std::int64_t length;  ///< of an edge of the arrays
  int rounds = 0;  ///< of arithmetic besides, two operations each; even, so that cells keep what they have

  TYPEWARP_BENCH_HALO_HD double at(std::int64_t cell) const {
    const std::int64_t plane = length * length;
    double value = (now[cell - plane] + now[cell + plane] + now[cell - length] + now[cell + length] +
                    now[cell - 1] + now[cell + 1]) /
                   6;
    for (int round = 0; round < rounds; ++round) value = std::fma(value, -1.0, 1.0);
    return value;
  }
  TYPEWARP_BENCH_HALO_HD void operator()(std::int64_t cell) const { next[cell] = at(cell); }
};

/// Tells the cells that an exchange has left wrong.
struct Exchanged {
  const double* data;
  Contents contents;

  TYPEWARP_BENCH_HALO_HD std::int64_t length() const { return contents.cube.length(); }
  TYPEWARP_BENCH_HALO_HD bool wrong(std::int64_t cell, const Indices& at) const {
    return data[cell] != contents.exchanged(at);
  }
};

/// And those that a stencil of some cells has: all others are to be untouched.
struct Computed {
  Stencil stencil;
  Span3 computed;

  TYPEWARP_BENCH_HALO_HD std::int64_t length() const { return stencil.length; }
  TYPEWARP_BENCH_HALO_HD bool wrong(std::int64_t cell, const Indices& at) const {
    return stencil.next[cell] != (computed.holds(at) ? stencil.at(cell) : untouched);
  }
};

}  // namespace typewarp::halo_bench
