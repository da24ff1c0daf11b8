// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/picture/png.hpp"

#include <typewarp/error.hpp>

namespace stencil2d {

bool png_supported() noexcept { return false; }

void write_png(const std::string& path, const Image&) {
  throw typewarp::Error("cannot write the picture " + path + ": built without libpng");
}

}  // namespace stencil2d
