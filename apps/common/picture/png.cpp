// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/picture/png.hpp"

#include <typewarp/error.hpp>

#include <png.h>

namespace apps {

bool png_supported() noexcept { return true; }

void write_png(const std::string& path, const Image& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&header, path.c_str(), 0, image.pixels.data(), 0, nullptr) == 0) {
    throw typewarp::Error("cannot write the picture " + path + ": " + header.message);
  }
}

}  // namespace apps
