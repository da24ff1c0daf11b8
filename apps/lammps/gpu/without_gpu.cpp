// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/gpu/gpu.hpp"

#include <typewarp/error.hpp>

namespace lammps::gpu {

template <typename Work>
void run(const Work&, std::int64_t, typewarp::Stream) {
  throw typewarp::Error("this build has no CUDA");
}

template void run(const Force&, std::int64_t, typewarp::Stream);
template void run(const KickAndDrift&, std::int64_t, typewarp::Stream);
template void run(const Kick&, std::int64_t, typewarp::Stream);
template void run(const Wrap&, std::int64_t, typewarp::Stream);
template void run(const GatherRows&, std::int64_t, typewarp::Stream);
template void run(const GatherWords&, std::int64_t, typewarp::Stream);
template void run(const AddVectors&, std::int64_t, typewarp::Stream);

}  // namespace lammps::gpu
