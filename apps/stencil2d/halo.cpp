// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/halo.hpp"

#include <array>

namespace stencil2d {
namespace {

// Direction of travel: with two ranks in a row, both messages have the same ends.
constexpr int towards_low = 1;
constexpr int towards_high = 2;

int mpi_rank(int neighbour) { return neighbour == no_neighbour ? MPI_PROC_NULL : neighbour; }

}  // namespace

Halo::Halo(const Domain& domain, typewarp::Named element, MPI_Comm comm)
    : comm_(comm),
      rows_(typewarp::commit(typewarp::contiguous(domain.halo * domain.pitch, element))),
      columns_(typewarp::commit(typewarp::vector(domain.stored_rows(), domain.halo, domain.pitch, element))),
      north_{mpi_rank(domain.north), domain.at(domain.halo, 0), domain.at(0, 0)},
      south_{mpi_rank(domain.south), domain.at(domain.local.rows, 0),
             domain.at(domain.local.rows + domain.halo, 0)},
      west_{mpi_rank(domain.west), domain.at(0, domain.halo), domain.at(0, 0)},
      east_{mpi_rank(domain.east), domain.at(0, domain.local.columns),
            domain.at(0, domain.local.columns + domain.halo)},
      element_bytes_(typewarp::Datatype(element).size()) {}

void Halo::exchange(std::byte* field, typewarp::Stream stream, PhaseTimes& times) const {
  trade(field, rows_, north_, south_, stream, times[Phase::rows_send], times[Phase::rows_wait]);
  trade(field, columns_, west_, east_, stream, times[Phase::columns_send], times[Phase::columns_wait]);
}

void Halo::trade(std::byte* field, const typewarp::Plan& plan, const Side& low, const Side& high,
                 typewarp::Stream stream, double& send_seconds, double& wait_seconds) const {
  const auto receive = [&](const Side& from, int tag) {
    return typewarp::irecv(field + from.incoming * element_bytes_, 1, plan, from.neighbour, tag, comm_,
                           stream);
  };
  const auto send = [&](const Side& to, int tag) {
    return typewarp::isend(field + to.outgoing * element_bytes_, 1, plan, to.neighbour, tag, comm_, stream);
  };
  Stopwatch watch;
  std::array<typewarp::Request, 4> requests{receive(low, towards_high), receive(high, towards_low),
                                            send(low, towards_low), send(high, towards_high)};
  send_seconds += watch.lap();
  for (typewarp::Request& request : requests) {
    request.wait();
  }
  wait_seconds += watch.lap();
}

std::int64_t Halo::bytes_sent() const noexcept {
  const auto bytes = [](const Side& side, const typewarp::Plan& plan) {
    return side.neighbour == MPI_PROC_NULL ? 0 : plan.size();
  };
  return bytes(north_, rows_) + bytes(south_, rows_) + bytes(west_, columns_) + bytes(east_, columns_);
}

}  // namespace stencil2d
