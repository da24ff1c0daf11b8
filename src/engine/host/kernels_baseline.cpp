// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/copy_long.hpp"
#include "engine/host/step.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

namespace typewarp::host {
namespace {
#include "engine/host/kernels.ipp"
}  // namespace

void baseline::choose_kernels(Step& step) { choose(step); }

void choose_kernels(Step& step) {
  static const bool wide = avx2::supported();
  wide ? avx2::choose_kernels(step) : baseline::choose_kernels(step);
}

}  // namespace typewarp::host
