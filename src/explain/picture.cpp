// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/picture.hpp"

#include <typewarp/explain.hpp>

#include "engine/arguments.hpp"
#include "explain/svg.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
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

std::string picture_of(const Places& places, const Window& window) {
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

std::string heading(const Window& window, const Places& places, std::int64_t count) {
  std::string text = "bytes " + std::to_string(window.begin) + " to " +
                     std::to_string(std::min(window.end(), places.end())) + " of " + std::to_string(count) +
                     (count == 1 ? " item, " : " items, ") + std::to_string(window.cell) +
                     " B a character: # data, . none, - and + less or more than half\n";
  if (!places.all) text += "(only the first " + std::to_string(Places::most) + " runs are drawn)\n";
  return text;
}

}  // namespace

Window whole(const Places& places) {
  const std::int64_t begin = places.lowest();
  const std::int64_t span = places.end() - begin;
  const std::int64_t cell = std::max<std::int64_t>(1, divided_up(span, columns * rows));
  const auto wide = static_cast<std::size_t>(std::min<std::int64_t>(columns, divided_up(span, cell)));
  const auto needed = static_cast<std::size_t>(divided_up(span, cell * static_cast<std::int64_t>(wide)));
  return {begin, cell, wide, std::min(rows, needed)};
}

Window beginning(const Places& places) {
  const Window all = whole(places);
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
  const Window near = beginning(places);
  std::string text = heading(near, places, count) + picture_of(places, near);
  const Window all = whole(places);
  if (all.cell > near.cell) text += heading(all, places, count) + picture_of(places, all);
  return text;
}

}  // namespace typewarp::explanation

namespace typewarp {
namespace {

using explanation::Place;
using explanation::Places;
using explanation::Svg;
using explanation::Window;

constexpr int cell_width = 12;
constexpr int cell_height = 18;
constexpr int margin = 96;

void cell(Svg& svg, double x, double y, double width, const std::string& fill) {
  svg.rectangle(x, y, width, cell_height - 4, fill);
}

/// Shades of one hue; item by item another of two hues where items can be told apart.
std::string shade(double part, bool odd) {
  const std::array<int, 3> full = odd ? std::array{214, 111, 30} : std::array{31, 97, 168};
  char text[16];
  const auto mixed = [part](int strong) { return static_cast<unsigned>(232 + (strong - 232) * part); };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", mixed(full[0]), mixed(full[1]), mixed(full[2]));
  return text;
}

/// Runs at their very places; neighbouring items alternate in colour.
void draw_runs(Svg& svg, const Places& places, const Window& window, double top) {
  for (const Place& place : places.runs) {
    std::int64_t at = std::max(place.begin, window.begin);
    const std::int64_t end = std::min(place.begin + place.bytes, window.end());
    while (at < end) {
      const std::int64_t row = (at - window.begin) / window.row_bytes();
      const std::int64_t in_row = at - window.begin - row * window.row_bytes();
      const std::int64_t length = std::min(end - at, window.row_bytes() - in_row);
      const double scale = static_cast<double>(cell_width) / static_cast<double>(window.cell);
      cell(svg, margin + static_cast<double>(in_row) * scale, top + static_cast<double>(row) * cell_height,
           std::max(0.5, static_cast<double>(length) * scale - 0.5), shade(1, place.item % 2 == 1));
      at += length;
    }
  }
}

void draw_density(Svg& svg, const Places& places, const Window& window, double top) {
  const std::vector<double> filled =
      explanation::coverage(places, window.begin, window.cell, window.columns * window.rows);
  for (std::size_t i = 0; i < filled.size(); ++i) {
    if (filled[i] == 0) continue;
    cell(svg, margin + static_cast<double>(i % window.columns) * cell_width,
         top + static_cast<double>(i / window.columns) * cell_height, cell_width - 1,
         shade(0.25 + 0.75 * filled[i], false));
  }
}

/// Title, rows with their addresses, and what `draw` puts there. Returns where the next one begins.
template <typename Draw>
double panel(Svg& svg, const Window& window, double top, const std::string& title, const Draw& draw) {
  svg.words(margin, top + 14, title);
  top += 24;
  for (std::size_t row = 0; row < window.rows; ++row) {
    const double y = top + static_cast<double>(row) * cell_height;
    svg.words(margin - 8, y + 11,
              std::to_string(window.begin + static_cast<std::int64_t>(row) * window.row_bytes()), true);
    cell(svg, margin, y, static_cast<double>(window.columns) * cell_width, "#f0f0f0");
  }
  draw(top);
  return top + static_cast<double>(window.rows) * cell_height + 12;
}

}  // namespace

std::string picture_svg(const Plan& plan, std::int64_t count) {
  const std::int64_t bytes = engine::whole_size("typewarp::picture_svg", "count", count, plan);
  const Places places = bytes == 0 ? Places{} : explanation::places_of(plan, count);
  Svg body;
  double height = 40;
  if (bytes == 0) {
    body.words(margin, 24, "no bytes");
  } else {
    const Window near = explanation::beginning(places);
    height =
        panel(body, near, 8,
              "The beginning: " + std::to_string(near.row_bytes()) + " B a row; items alternate in colour",
              [&](double top) { draw_runs(body, places, near, top); });
    const Window all = explanation::whole(places);
    if (all.cell > near.cell) {
      height = panel(body, all, height,
                     std::string(places.all ? "All: " : "As far as drawn: ") +
                         std::to_string(all.row_bytes()) + " B a row; darker where more of it is data",
                     [&](double top) { draw_density(body, places, all, top); });
    }
  }
  return body.file(margin + 64 * cell_width + 24, height);
}

}  // namespace typewarp
