// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace typewarp::gpu {

/// Throws GpuError: what a build without a GPU's runtime says to whoever asks for one.
[[noreturn]] void refuse(std::string_view call);

}  // namespace typewarp::gpu
