// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/picture/picture.hpp"

#include "common/picture/png.hpp"

#include <typewarp/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <system_error>

namespace apps {
namespace {

constexpr std::int64_t largest_side = 1024;
using Colour = std::array<double, 3>;

/// From the most negative value over zero to the most positive one.
constexpr std::array<Colour, 7> colour_map{{{0.86, 0.97, 1.00},
                                            {0.24, 0.62, 0.92},
                                            {0.07, 0.22, 0.45},
                                            {0.04, 0.04, 0.07},
                                            {0.45, 0.10, 0.10},
                                            {0.92, 0.45, 0.14},
                                            {1.00, 0.95, 0.72}}};

Colour mix(const Colour& a, const Colour& b, double part) {
  Colour result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = a[i] + (b[i] - a[i]) * part;
  }
  return result;
}

/// `value` from -1 to 1; the square root brings out what is faint.
Colour colour_of(double value) {
  const double lifted = std::copysign(std::sqrt(std::min(std::abs(value), 1.0)), value);
  const double place = (lifted + 1) / 2 * (colour_map.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(place), colour_map.size() - 2);
  return mix(colour_map[below], colour_map[below + 1], place - static_cast<double>(below));
}

template <typename T>
double largest_magnitude(const std::vector<T>& field) {
  double largest = 0;
  for (const T value : field) {
    if (std::isfinite(value)) {
      largest = std::max(largest, static_cast<double>(std::abs(value)));
    }
  }
  return largest;
}

/// The mean of the points that pixel (y, x) stands for.
template <typename T>
double mean(const std::vector<T>& field, Shape global, std::int64_t y, std::int64_t x, std::int64_t factor) {
  const std::int64_t row_end = std::min((y + 1) * factor, global.rows);
  const std::int64_t column_end = std::min((x + 1) * factor, global.columns);
  double sum = 0;
  for (std::int64_t row = y * factor; row < row_end; ++row) {
    for (std::int64_t column = x * factor; column < column_end; ++column) {
      sum += static_cast<double>(field[static_cast<std::size_t>(row * global.columns + column)]);
    }
  }
  return sum / static_cast<double>((row_end - y * factor) * (column_end - x * factor));
}

/// Whether a border between ranks falls into pixel `at`, whose points start at `at * factor`.
bool on_border(std::int64_t at, std::int64_t factor, std::int64_t part) {
  return at > 0 && (at * factor) / part != (at * factor - factor) / part;
}

bool ends_in(const std::string& text, const std::string& ending) {
  return text.size() > ending.size() && text.ends_with(ending);
}

void write_ppm(const std::string& path, const Image& image) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << image.width << ' ' << image.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(image.pixels.data()),
             static_cast<std::streamsize>(image.pixels.size()));
  file.close();
  if (!file) {
    throw typewarp::Error("cannot write the picture " + path);
  }
}

}  // namespace

template <typename T>
Image render(const std::vector<T>& field, Shape global, Shape grid) {
  const std::int64_t factor = (std::max(global.rows, global.columns) + largest_side - 1) / largest_side;
  const double largest = largest_magnitude(field);
  const Shape part{global.rows / grid.rows, global.columns / grid.columns};
  Image image{(global.columns + factor - 1) / factor, (global.rows + factor - 1) / factor, {}};
  image.pixels.reserve(static_cast<std::size_t>(3 * image.width * image.height));
  for (std::int64_t y = 0; y < image.height; ++y) {
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double value = mean(field, global, y, x, factor) / (largest > 0 ? largest : 1);
      Colour colour = colour_of(std::isfinite(value) ? value : 0);
      if (on_border(y, factor, part.rows) || on_border(x, factor, part.columns)) {
        colour = mix(colour, {1, 1, 1}, 0.3);
      }
      for (const double channel : colour) {
        image.pixels.push_back(static_cast<std::uint8_t>(std::lround(channel * 255)));
      }
    }
  }
  return image;
}

std::string picture_formats() { return png_supported() ? ".png or .ppm" : ".ppm (built without libpng)"; }

bool can_write_picture(const std::string& path) {
  return ends_in(path, ".ppm") || (png_supported() && ends_in(path, ".png"));
}

std::string why_unwritable(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK;  // a pipe that nobody reads would wait
  constexpr mode_t readable_by_all = 0644;
  int file = open(path.c_str(), flags | O_CREAT | O_EXCL, readable_by_all);
  const bool created = file >= 0;
  if (!created && errno == EEXIST) {
    file = open(path.c_str(), flags);
  }
  if (file < 0) {
    return std::generic_category().message(errno);
  }
  close(file);
  if (created) {
    unlink(path.c_str());
  }
  return "";
}

bool draw(const std::string& path, const Image& image) {
  try {
    write_picture(path, image);
  } catch (const typewarp::Error& error) {
    std::printf("picture: %s\n", error.what());
    return false;
  }
  std::printf("picture: %s\n", path.c_str());
  return true;
}

void write_picture(const std::string& path, const Image& image) {
  if (ends_in(path, ".png")) {
    write_png(path, image);
  } else {
    write_ppm(path, image);
  }
}

template Image render(const std::vector<float>&, Shape, Shape);
template Image render(const std::vector<double>&, Shape, Shape);

}  // namespace apps
