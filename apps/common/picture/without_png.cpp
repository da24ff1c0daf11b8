// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/picture/png.hpp"

#include <typewarp/error.hpp>

namespace apps {

bool png_supported() noexcept { return false; }

void write_png(const std::string& path, const Image&) {
  throw typewarp::Error("cannot write the picture " + path + ": built without libpng");
}

}  // namespace apps
