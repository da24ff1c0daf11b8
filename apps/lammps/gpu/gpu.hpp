// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/work.hpp"

#include <typewarp/stream.hpp>

#include <cstdint>

namespace lammps::gpu {

/// Enqueues work(i) for i from 0 to `count`, a thread each, for each kind of work in work.hpp. A build
/// without CUDA throws typewarp::Error.
template <typename Work>
void run(const Work& work, std::int64_t count, typewarp::Stream stream);

}  // namespace lammps::gpu
