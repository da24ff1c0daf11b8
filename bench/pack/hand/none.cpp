// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hand.hpp"

/// In the place of the kernels, for programs that want the layouts only.
namespace typewarp::bench {

HandCoded hand_vector(std::int64_t, std::int64_t, std::int64_t) { return nullptr; }
HandCodedCopy hand_copy_vector(std::int64_t, HandVector, HandVector) { return nullptr; }
HandCoded hand_subarray(std::int64_t, std::array<HandLevel, 3>, std::int64_t) { return nullptr; }
HandCoded hand_indexed_block(std::int64_t, const std::vector<std::int64_t>&) { return nullptr; }
HandCoded hand_indexed(const std::vector<std::int64_t>&, const std::vector<std::int64_t>&) { return nullptr; }
HandCoded hand_triangle(std::int64_t) { return nullptr; }
HandCoded hand_particles(std::int64_t) { return nullptr; }
HandCoded hand_mixed(std::int64_t) { return nullptr; }
HandCoded hand_particles_naive(std::int64_t) { return nullptr; }
HandCoded hand_mixed_naive(std::int64_t) { return nullptr; }
HandCoded hand_transpose(std::int64_t, std::int64_t, int) { return nullptr; }

}  // namespace typewarp::bench
