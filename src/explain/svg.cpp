// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include "engine/arguments.hpp"
#include "explain/markup.hpp"
#include "explain/places.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace typewarp {
namespace {

using explanation::escaped;
using explanation::PictureWindow;
using explanation::Places;
using explanation::RunPlace;

constexpr int columns = 64;
constexpr int cell_width = 12;
constexpr int cell_height = 18;
constexpr int margin = 96;

/// A drawing of rectangles and words. Lengths are pixels, from the upper left corner.
class Svg {
 public:
  void rectangle(double x, double y, double width, double height, std::string_view fill) {
    body_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height
          << "\" fill=\"" << fill << "\"/>\n";
  }
  /// One line of words with its base line at `y`. They begin at `x`, or end there.
  void words(double x, double y, std::string_view text, bool end_there = false) {
    body_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << (end_there ? "end" : "start")
          << "\">" << escaped(text) << "</text>\n";
  }
  /// All of it, as a file.
  std::string file(double width, double height) const {
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
        << "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
           "fill=\"white\"/>\n"
        << body_.str() << "</svg>\n";
    return out.str();
  }

 private:
  std::ostringstream body_;
};

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
void draw_runs(Svg& svg, const Places& places, const PictureWindow& window, double top) {
  for (const RunPlace& place : places.runs) {
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

void draw_density(Svg& svg, const Places& places, const PictureWindow& window, double top) {
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
double panel(Svg& svg, const PictureWindow& window, double top, const std::string& title, const Draw& draw) {
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
    const PictureWindow near = explanation::beginning(places);
    height =
        panel(body, near, 8,
              "The beginning: " + std::to_string(near.row_bytes()) + " B a row; items alternate in colour",
              [&](double top) { draw_runs(body, places, near, top); });
    const PictureWindow all = explanation::whole(places);
    if (all.cell > near.cell) {
      height = panel(body, all, height,
                     std::string(places.all ? "All: " : "As far as drawn: ") +
                         std::to_string(all.row_bytes()) + " B a row; darker where more of it is data",
                     [&](double top) { draw_density(body, places, all, top); });
    }
  }
  return body.file(margin + columns * cell_width + 24, height);
}

}  // namespace typewarp
