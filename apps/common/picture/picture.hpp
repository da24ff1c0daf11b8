// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace apps {

/// Three bytes a pixel, red green blue, row by row from the top.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// A field in false colours, zero dark, scaled to its largest value, at most 1024 pixels a side (each the
/// mean of a square of points), with the borders between ranks thinly visible. For float and double.
template <typename T>
Image render(const std::vector<T>& field, Shape global, Shape grid);

/// The formats of this build, for instance ".png or .ppm".
std::string picture_formats();
/// Whether the path ends in one of them.
bool can_write_picture(const std::string& path);
/// Why the file cannot be written, in the words of the system; empty if it can. Leaves the file as it was.
std::string why_unwritable(const std::string& path);
/// Writes the picture and says so on standard output, or why it could not: its disk may be full by now, and
/// that must not lose what else a run has to say. Whether it could.
bool draw(const std::string& path, const Image& image);
/// Writes the file in the format that its name ends in; throws typewarp::Error, naming the path, if it
/// cannot.
void write_picture(const std::string& path, const Image& image);

}  // namespace apps
