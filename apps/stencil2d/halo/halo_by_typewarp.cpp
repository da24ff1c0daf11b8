// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/halo/halo_by_typewarp.hpp"

#include "common/stopwatch.hpp"

#include <array>

namespace stencil2d {
namespace {

using typewarp::halo::Descriptor;

std::vector<Descriptor> descriptors(const Domain& domain) {
  const std::int64_t halo = domain.halo;
  return {Descriptor{halo, halo, halo, halo + domain.local.rows, domain.stored_rows()},
          Descriptor{halo, halo, halo, halo + domain.local.columns, domain.pitch}};
}

std::vector<int> sizes(apps::Shape grid) {
  return {static_cast<int>(grid.rows), static_cast<int>(grid.columns)};
}

}  // namespace

HaloByTypewarp::HaloByTypewarp(const Domain& domain, typewarp::Named element, std::byte* field, MPI_Comm comm)
    : session_(comm),
      exchange_(typewarp::halo::ProcessGrid(comm, sizes(domain.grid)),
                {typewarp::halo::Field(field, element, descriptors(domain))}) {}

void HaloByTypewarp::exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) {
  apps::Stopwatch watch;
  exchange_.bind(std::array<void*, 1>{field});
  exchange_.pack(stream.get());
  times[Phase::pack] += watch.lap();
  exchange_.start_exchange(stream.get());
  times[Phase::send] += watch.lap();
  exchange_.wait();
  times[Phase::wait] += watch.lap();
  exchange_.unpack(stream.get());
  stream.synchronize();
  times[Phase::unpack] += watch.lap();
}

}  // namespace stencil2d
