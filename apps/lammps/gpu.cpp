// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/gpu/run_definition.hpp"
#include "lammps/work.hpp"

namespace apps::gpu {

template void run(const lammps::Force&, std::int64_t, typewarp::Stream);
template void run(const lammps::KickAndDrift&, std::int64_t, typewarp::Stream);
template void run(const lammps::Kick&, std::int64_t, typewarp::Stream);
template void run(const lammps::Wrap&, std::int64_t, typewarp::Stream);
template void run(const lammps::GatherRows&, std::int64_t, typewarp::Stream);
template void run(const lammps::GatherWords&, std::int64_t, typewarp::Stream);
template void run(const lammps::AddVectors&, std::int64_t, typewarp::Stream);

}  // namespace apps::gpu
