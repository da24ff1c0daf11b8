// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/range.hpp"

#include <nvtx3/nvToolsExt.h>

namespace typewarp::gpu {

ProfilerRange::ProfilerRange(const char* name) noexcept { nvtxRangePushA(name); }

ProfilerRange::~ProfilerRange() { nvtxRangePop(); }

}  // namespace typewarp::gpu
