// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace apps {
namespace {

/// A launcher hands output on; what looks like a terminal (Open MPI gives its ranks one) then says
/// nothing about where the output ends.
bool behind_launcher() {
  return std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr ||
         std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
}

bool updates_in_place(ProgressStyle style) {
  if (style == ProgressStyle::automatic) {
    return isatty(STDOUT_FILENO) != 0 && !behind_launcher();
  }
  return style == ProgressStyle::update;
}

}  // namespace

Progress::Progress(std::string label, std::int64_t total, ProgressStyle style)
    : label_(std::move(label)),
      total_(total),
      share_(updates_in_place(style) ? 1 : 10),
      speaks_(style != ProgressStyle::none && total > 0),
      in_place_(updates_in_place(style)) {}

void Progress::update(std::int64_t done) {
  if (!speaks_) {
    return;
  }
  const std::int64_t percent = done * 100 / total_;
  if (percent / share_ <= shown_) {
    return;
  }
  shown_ = percent / share_;
  seconds_ += watch_.lap();
  std::printf("%s%s %lld/%lld (%lld %%), %.2f s%s", in_place_ ? "\r" : "", label_.c_str(),
              static_cast<long long>(done), static_cast<long long>(total_), static_cast<long long>(percent),
              seconds_, in_place_ && done < total_ ? "" : "\n");
  std::fflush(stdout);
}

}  // namespace apps
