// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/host/policy.hpp"
#include "engine/host/step.hpp"

namespace typewarp::host {

/// Sets `step.pack` and `step.unpack` to the fastest kernels for its shape and that of its children, for the
/// instruction set of this machine. All other fields must be set, here and in the children.
void choose_kernels(Step& step);

/// The same for one instruction set: baseline of the architecture, and AVX2 where it is x86-64.
namespace baseline {
void choose_kernels(Step& step);
}
namespace avx2 {
bool supported() noexcept;
void choose_kernels(Step& step);
}  // namespace avx2

}  // namespace typewarp::host
