// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "explain/places.hpp"

#include <string>

namespace typewarp::explanation {

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
