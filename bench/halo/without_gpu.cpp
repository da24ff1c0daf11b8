// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "gpu.hpp"

#include <typewarp/error.hpp>

namespace typewarp::halo_bench::gpu {
namespace {

[[noreturn]] void refuse() { throw Error("this program was built without CUDA"); }

}  // namespace

void fill(double*, const Contents&, Stream) { refuse(); }
void clear(double*, std::int64_t, Stream) { refuse(); }
std::int64_t count_wrong(const Exchanged&, Stream) { refuse(); }
std::int64_t count_wrong(const Computed&, Stream) { refuse(); }
void compute(const Stencil&, const Span3&, Stream) { refuse(); }
void write_parts(double*, std::int64_t, std::int64_t, Stream) { refuse(); }
void wait(Stream) { refuse(); }
void take_turn(Stream) { refuse(); }
std::int64_t kernels_of(const std::function<void()>&, Stream) { refuse(); }

}  // namespace typewarp::halo_bench::gpu
