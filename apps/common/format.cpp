// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/format.hpp"

#include <cstdio>

namespace apps {

std::string format_bytes(std::int64_t bytes) {
  const bool mebi = bytes >= (1 << 20) - (1 << 10);
  const double value = static_cast<double>(bytes) / (mebi ? 1 << 20 : 1 << 10);
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, mebi ? "MiB" : "KiB");
  return text;
}

}  // namespace apps
