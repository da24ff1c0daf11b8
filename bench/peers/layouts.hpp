// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// What a message is, as MPI has it and byte by byte: where its runs lie in a buffer, in their order.
namespace peers {

struct Run {
  std::size_t at, bytes;
};

struct Layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int count = 1;
  std::size_t extent = 0;  ///< bytes of the buffer
  std::vector<Run> runs;

  std::size_t packed() const {
    return std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                           [](std::size_t sum, const Run& run) { return sum + run.bytes; });
  }
};

constexpr std::size_t real = sizeof(double);

inline Layout contiguous(std::size_t bytes) {
  return {MPI_BYTE, static_cast<int>(bytes), bytes, {{0, bytes}}};
}

/// Blocks of so many bytes, at a stride.
inline Layout blocks(std::size_t bytes, std::size_t block, std::size_t stride) {
  Layout made;
  const std::size_t count = bytes / block;
  for (std::size_t i = 0; i < count; ++i) made.runs.push_back({i * stride, block});
  made.extent = count * stride;
  MPI_Type_vector(static_cast<int>(count), static_cast<int>(block / real), static_cast<int>(stride / real),
                  MPI_DOUBLE, &made.type);
  return made;
}

/// A box of an array of doubles, x fastest.
inline Layout box(std::array<int, 3> sizes, std::array<int, 3> subsizes, std::array<int, 3> starts) {
  Layout made;
  const auto of = [](int number) { return static_cast<std::size_t>(number); };
  for (int z = starts[0]; z < starts[0] + subsizes[0]; ++z) {
    for (int y = starts[1]; y < starts[1] + subsizes[1]; ++y)
      made.runs.push_back(
          {((of(z) * of(sizes[1]) + of(y)) * of(sizes[2]) + of(starts[2])) * real, of(subsizes[2]) * real});
  }
  made.extent = of(sizes[0]) * of(sizes[1]) * of(sizes[2]) * real;
  MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE,
                           &made.type);
  return made;
}

/// A layer of one cell of an array with a halo of one: as square as powers of two allow.
inline Layout face(std::size_t bytes, bool normal_to_x) {
  int one = 1;
  int other = static_cast<int>(bytes / real);
  for (; one < other; one *= 2) other /= 2;
  if (normal_to_x) return box({one + 2, other + 2, 32}, {one, other, 1}, {1, 1, 1});
  return box({other + 2, 4, one + 2}, {other, 1, one}, {1, 1, 1});
}

/// Blocks of 1 to 7 doubles with gaps of 1 to 4.
inline Layout varying(std::size_t bytes) {
  Layout made;
  std::mt19937 engine{2012};
  std::vector<int> lengths, places;
  int at = 0;
  for (int left = static_cast<int>(bytes / real); left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, 1 + static_cast<int>(engine() % 7)));
    places.push_back(at);
    made.runs.push_back(
        {static_cast<std::size_t>(at) * real, static_cast<std::size_t>(lengths.back()) * real});
    at += lengths.back() + 1 + static_cast<int>(engine() % 4);
  }
  made.extent = static_cast<std::size_t>(at) * real;
  MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_DOUBLE, &made.type);
  return made;
}

/// struct {double; int; int; char}, whose last seven bytes are nothing.
inline Layout structs(std::size_t bytes) {
  Layout made;
  constexpr std::size_t size = 17;
  constexpr std::size_t extent = 24;
  made.count = static_cast<int>(bytes / size);
  made.extent = static_cast<std::size_t>(made.count) * extent;
  for (std::size_t at = 0; at < made.extent; at += extent) made.runs.push_back({at, size});
  constexpr std::array lengths{1, 1, 1, 1};
  constexpr std::array<MPI_Aint, 4> places{0, 8, 12, 16};
  const std::array types{MPI_DOUBLE, MPI_INT, MPI_INT, MPI_CHAR};
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(4, lengths.data(), places.data(), types.data(), &packed);
  MPI_Type_create_resized(packed, 0, extent, &made.type);
  MPI_Type_free(&packed);
  return made;
}

/// Pages of a pool of twice as many, in an order that the seed gives.
inline Layout pages(std::size_t bytes, std::size_t page, unsigned seed) {
  Layout made;
  const std::size_t count = bytes / page;
  std::vector<int> order(2 * count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937{seed});
  order.resize(count);
  for (const int each : order) made.runs.push_back({static_cast<std::size_t>(each) * page, page});
  made.extent = 2 * count * page;
  MPI_Datatype one = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(page / real), MPI_DOUBLE, &one);
  MPI_Type_create_indexed_block(static_cast<int>(count), 1, order.data(), one, &made.type);
  MPI_Type_free(&one);
  return made;
}

/// Of a kind of cases.py; `receives` tells the two ends of it apart, where they differ.
inline Layout layout(const std::string& kind, std::size_t bytes, bool receives) {
  if (kind == "vector-8") return blocks(bytes, real, 64);
  if (kind == "vector-128" || kind == "alltoallw") return blocks(bytes, 128, 1024);
  if (kind == "face-x" || kind == "face-y") return face(bytes, kind == "face-x");
  if (kind == "indexed") return varying(bytes);
  if (kind == "struct") return structs(bytes);
  if (kind == "pages-2k") return pages(bytes, 2 << 10, receives ? 2 : 1);
  if (kind == "pages-64k") return pages(bytes, 64 << 10, receives ? 2 : 1);
  return contiguous(bytes);
}

}  // namespace peers
