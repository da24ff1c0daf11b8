// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/gather.hpp"

#include "common/collective.hpp"
#include "stencil2d/element.hpp"

#include <typewarp/p2p.hpp>

namespace stencil2d {
namespace {

constexpr int gather_tag = 3;

/// The part of `part` points that starts at `start` in an array of `whole` points.
typewarp::Plan window(apps::Shape whole, apps::Shape part, apps::Shape start, typewarp::Named element) {
  return typewarp::commit(typewarp::subarray({whole.rows, whole.columns}, {part.rows, part.columns},
                                             {start.rows, start.columns}, typewarp::Order::c, element));
}

}  // namespace

template <typename T>
std::vector<T> gather(const Domain& domain, const T* field, typewarp::Stream stream, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<T> whole;
  apps::together(comm, [&] {
    if (rank == 0) {
      whole.resize(static_cast<std::size_t>(domain.global().points()));
    }
  });

  std::vector<typewarp::Request> requests;
  if (rank == 0) {
    for (int source = 0; source < domain.grid.points(); ++source) {
      const Domain theirs = make_domain(domain.grid, domain.local, domain.halo, source);
      requests.push_back(typewarp::irecv(
          whole.data(), 1, window(domain.global(), domain.local, theirs.origin(), element_of<T>), source,
          gather_tag, comm, stream));
    }
  }
  const apps::Shape stored{domain.stored_rows(), domain.pitch};
  requests.push_back(typewarp::isend(field, 1,
                                     window(stored, domain.local, {domain.halo, domain.halo}, element_of<T>),
                                     0, gather_tag, comm, stream));
  for (typewarp::Request& request : requests) {
    request.wait();
  }
  return whole;
}

template std::vector<float> gather(const Domain&, const float*, typewarp::Stream, MPI_Comm);
template std::vector<double> gather(const Domain&, const double*, typewarp::Stream, MPI_Comm);

}  // namespace stencil2d
