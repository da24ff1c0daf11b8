// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/bench_plot.hpp"

#include "explain/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace typewarp::cli {
namespace {

using explanation::Svg;

constexpr double left = 330, width = 900, row_height = 15, bar_height = 11;
/// From a quarter to 256 times.
constexpr double least = 0.25, doublings = 10, scale = (width - left - 200) / doublings;

double place(double times) { return left + scale * std::clamp(std::log2(times / least), 0.0, doublings); }

std::string times_text(const BenchRow& row) {
  char text[80];
  if (row.other_us) {
    std::snprintf(text, sizeof text, "%.2f times, %.1f us", *row.other_us / row.us, row.us);
  } else {
    std::snprintf(text, sizeof text, "%.1f us", row.us);
  }
  std::string result = text;
  if (row.floor_us) {
    std::snprintf(text, sizeof text, ", %.2f of the floor", *row.floor_us / row.us);
    result += text;
  }
  return result;
}

void draw(Svg& svg, const BenchRow& row, double top) {
  svg.words(left - 8, top + 10, row.layout + ", " + size_text(row.bytes) + ", " + row.direction, true);
  const double one = place(1);
  double end = one;
  if (row.other_us) {
    const double at = place(*row.other_us / row.us);
    svg.rectangle(std::min(one, at), top, std::max(1.0, std::abs(at - one)), bar_height,
                  at < one ? "#d66f1e" : "#1f61a8");
    end = std::max(one, at);
  }
  svg.words(end + 6, top + 10, times_text(row));
}

std::string heading(const std::string& memory) {
  if (memory == "host") return "Host memory, beside plain loops of memcpy";
  return "Packed bytes in " + memory +
         " memory, beside the driver's own copies; without a bar where those cannot";
}

}  // namespace

std::string size_text(std::int64_t bytes) {
  char text[16];
  const bool large = bytes >= (1 << 20);
  std::snprintf(text, sizeof text, "%.*f %s", large ? 1 : 0,
                static_cast<double>(bytes) / (large ? 1 << 20 : 1 << 10), large ? "MiB" : "KiB");
  return text;
}

std::string bench_plot(const std::vector<BenchRow>& rows, const std::string& title) {
  Svg svg;
  svg.words(16, 24, title);
  double top = 44;
  for (const char* const memory : {"device", "pinned", "host"}) {
    if (std::ranges::find(rows, memory, &BenchRow::memory) == rows.end()) continue;
    svg.words(16, top + 10, heading(memory));
    top += 20;
    const double begin = top;
    for (const BenchRow& row : rows) {
      if (row.memory != memory) continue;
      draw(svg, row, top);
      top += row_height;
    }
    svg.rectangle(place(1), begin - 4, 1, top - begin, "#000000");
    top += 16;
  }
  return svg.file(width, top);
}

}  // namespace typewarp::cli
