// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/picture/picture.hpp"

#include <string>

namespace apps {

/// Whether this build has libpng.
bool png_supported() noexcept;

/// Throws typewarp::Error, naming the path, if the file cannot be written.
void write_png(const std::string& path, const Image& image);

}  // namespace apps
