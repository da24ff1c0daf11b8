// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>

#include <string>
#include <vector>

/// Where bytes lie, run by run, up to a limit.
namespace typewarp::explanation {

struct RunPlace {
  std::int64_t begin;  ///< user bytes from the buffer's address
  std::int64_t bytes;
  std::int64_t item;
};

/// The first runs in packed order.
struct Places {
  static constexpr std::size_t most = 1 << 18;

  std::vector<RunPlace> runs;
  bool all = true;  ///< whether there are no more
  bool ascending = true;

  std::int64_t lowest() const;
  std::int64_t end() const;
};

Places places_of(const Plan& plan, std::int64_t count);

/// Cells of `cell` bytes from `begin` on: which part of each holds data.
std::vector<double> coverage(const Places& places, std::int64_t begin, std::int64_t cell, std::size_t cells);

/// A window of memory in rows of cells.
struct PictureWindow {
  std::int64_t begin;  ///< user bytes from the buffer's address
  std::int64_t cell;   ///< bytes
  std::size_t columns;
  std::size_t rows;

  std::int64_t row_bytes() const { return cell * static_cast<std::int64_t>(columns); }
  std::int64_t end() const { return begin + row_bytes() * static_cast<std::int64_t>(rows); }
};

/// The beginning of the places, close enough to see runs. A row is a stride, if that fits.
PictureWindow beginning(const Places& places);
/// Everything that the places span.
PictureWindow whole(const Places& places);

/// Both windows; the second only where it shows more. Precondition: there are places.
std::string picture_text(const Places& places, std::int64_t count);

}  // namespace typewarp::explanation
