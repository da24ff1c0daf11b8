// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cube.hpp"

#include <typewarp/engine.hpp>

#include <functional>

/// What needs CUDA, beside harness/device.hpp. In a build without it nothing of this may be called.
namespace typewarp::halo_bench::gpu {

void fill(double* data, const Contents& contents, Stream stream);
/// All cells become untouched.
void clear(double* data, std::int64_t cells, Stream stream);
std::int64_t count_wrong(const Exchanged& cells, Stream stream);
std::int64_t count_wrong(const Computed& cells, Stream stream);
void compute(const Stencil& stencil, const Span3& cells, Stream stream);
/// Writes the first 8 bytes of so many sectors of 32 bytes, each by a thread, that are `distance` doubles
/// apart.
void write_parts(double* data, std::int64_t sectors, std::int64_t distance, Stream stream);
void wait(Stream stream);
/// Returns when the device works for this process: processes that take turns on it have to wait for that.
void take_turn(Stream stream);

/// How many kernels `enqueue` gives the stream, which get captured into a graph and are not run.
std::int64_t kernels_of(const std::function<void()>& enqueue, Stream stream);

}  // namespace typewarp::halo_bench::gpu
