// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "work.hpp"

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What is measured: which layouts are moved, how, and beside which work.
namespace typewarp::contention {

/// Rows that cudaMemcpy2D takes, in bytes; a layout that is none has a height of 0.
struct Rows {
  std::int64_t width = 0, height = 0, pitch = 0;
};

struct Case {
  std::string name;
  Datatype type;
  Rows rows;
};
std::vector<Case> every_case();

/// How bytes are packed or unpacked. All but `library` is what one would write without it.
enum class Way : std::uint8_t {
  library,
  high_stream,   ///< the library, on a stream of the highest priority
  staged,        ///< packed within the device by the library, then a copy to pinned memory; or back
  memcpy2d,      ///< cudaMemcpy2DAsync
  through_host,  ///< the same to pinned memory, and back by a copy
  extent,        ///< a copy of all that lies between the first and the last byte; the host packs
  blocks,        ///< a cudaMemcpyAsync a row
  batch,         ///< cudaMemcpyBatchAsync of rows, which is asked to keep off the multiprocessors
};
/// Where rows are copied one by one, only so many of a layout with more are.
inline constexpr std::int64_t most_blocks = 1024;

struct Method {
  std::string name;
  Way way;
  std::string hints;  ///< of the library, as Hints::to_string() writes them; empty: none
};

/// Where packed bytes lie.
enum class Place : std::uint8_t { device, pinned };

struct Item {
  std::int64_t index;
  Work work;
  Case subject;
  bool packs;
  Place place;
  Method method;

  /// application/case/memory/direction/method
  std::string text() const;
  /// The same without the application.
  std::string move_text() const;
  std::int64_t packed_bytes() const { return subject.type.size(); }
};
const char* name(Place place) noexcept;

/// All that one process measures, or two: there the application is another process, and less is measured.
std::vector<Item> agenda(bool two_processes);

/// How long the application works, in microseconds, beside a move that takes so long alone.
double application_us(double move_alone_us) noexcept;

}  // namespace typewarp::contention
