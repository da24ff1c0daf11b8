// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/report.hpp"

#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace typewarp::interpose {

bool is_set(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

void report(const char* format, ...) noexcept {
  if (!is_set("TYPEWARP_VERBOSE")) return;
  std::array<char, 2048> line;
  const int prefix = std::snprintf(line.data(), line.size(), "typewarp[%d]: ", static_cast<int>(getpid()));
  std::va_list arguments;
  va_start(arguments, format);
  const std::size_t room = line.size() - static_cast<std::size_t>(prefix);
  std::vsnprintf(line.data() + prefix, room, format, arguments);
  va_end(arguments);
  // One call, so that lines of ranks that share a terminal stay whole.
  std::fprintf(stderr, "%s\n", line.data());
}

}  // namespace typewarp::interpose
