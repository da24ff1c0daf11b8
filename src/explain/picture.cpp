// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/places.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace typewarp::explanation {
namespace {

constexpr std::size_t columns = 64;
constexpr std::size_t rows = 12;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The distance between the first two runs if it is that between the next two also; 0 if not.
std::int64_t first_step(const Places& places) {
  const auto& runs = places.runs;
  if (runs.size() < 3) return 0;
  const std::int64_t step = runs[1].begin - runs[0].begin;
  return runs[2].begin - runs[1].begin == step && step > 0 ? step : 0;
}

char mark(double part) {
  if (part == 0) return '.';
  if (part == 1) return '#';
  return part < 0.5 ? '-' : '+';
}

std::string picture_of(const Places& places, const PictureWindow& window) {
  const std::vector<double> filled =
      coverage(places, window.begin, window.cell, window.columns * window.rows);
  std::ostringstream out;
  for (std::size_t row = 0; row < window.rows; ++row) {
    const std::int64_t at = window.begin + static_cast<std::int64_t>(row) * window.row_bytes();
    out.width(12);
    out << at << "  ";
    for (std::size_t i = 0; i < window.columns; ++i) out << mark(filled[row * window.columns + i]);
    out << '\n';
  }
  return out.str();
}

std::string heading(const PictureWindow& window, const Places& places, std::int64_t count) {
  std::string text = "bytes " + std::to_string(window.begin) + " to " +
                     std::to_string(std::min(window.end(), places.end())) + " of " + std::to_string(count) +
                     (count == 1 ? " item, " : " items, ") + std::to_string(window.cell) +
                     " B a character: # data, . none, - and + less or more than half\n";
  if (!places.all) text += "(only the first " + std::to_string(Places::most) + " runs are drawn)\n";
  return text;
}

}  // namespace

PictureWindow whole(const Places& places) {
  const std::int64_t begin = places.lowest();
  const std::int64_t span = places.end() - begin;
  const std::int64_t cell = std::max<std::int64_t>(1, divided_up(span, columns * rows));
  const auto wide = static_cast<std::size_t>(std::min<std::int64_t>(columns, divided_up(span, cell)));
  const auto needed = static_cast<std::size_t>(divided_up(span, cell * static_cast<std::int64_t>(wide)));
  return {begin, cell, wide, std::min(rows, needed)};
}

PictureWindow beginning(const Places& places) {
  const PictureWindow all = whole(places);
  if (all.cell == 1) return all;
  std::int64_t grain = 16;
  for (std::size_t i = 0; i < std::min<std::size_t>(places.runs.size(), 64); ++i) {
    grain = std::gcd(std::gcd(grain, places.runs[i].bytes), places.runs[i].begin - places.runs[0].begin);
  }
  const std::int64_t step = first_step(places);
  const auto cells_of_step = static_cast<std::size_t>(step / grain);
  const bool fits = step % grain == 0 && cells_of_step >= 2 && cells_of_step <= columns;
  return {all.begin, grain, fits ? columns / cells_of_step * cells_of_step : columns, rows};
}

std::string picture_text(const Places& places, std::int64_t count) {
  const PictureWindow near = beginning(places);
  std::string text = heading(near, places, count) + picture_of(places, near);
  const PictureWindow all = whole(places);
  if (all.cell > near.cell) text += heading(all, places, count) + picture_of(places, all);
  return text;
}

}  // namespace typewarp::explanation
