// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/halo/halo_by_mpi.hpp"

#include <array>

namespace stencil2d {
namespace {

// Direction of travel, as by hand.
constexpr int towards_low = 1;
constexpr int towards_high = 2;

std::int64_t size_of(MPI_Datatype datatype) {
  MPI_Count bytes = 0;
  MPI_Type_size_x(datatype, &bytes);
  return bytes;
}

int rank_of(int neighbour) { return neighbour == no_neighbour ? MPI_PROC_NULL : neighbour; }

apps::Datatype strided(std::int64_t count, std::int64_t length, std::int64_t stride, MPI_Datatype element) {
  return apps::committed([&](MPI_Datatype* made) {
    MPI_Type_vector(static_cast<int>(count), static_cast<int>(length), static_cast<int>(stride), element,
                    made);
  });
}

}  // namespace

HaloByMpi::HaloByMpi(const Domain& domain, MPI_Datatype element, MPI_Comm comm)
    : domain_(domain),
      comm_(comm),
      element_bytes_(size_of(element)),
      rows_(strided(domain.halo, domain.local.columns + 2 * domain.halo, domain.pitch, element)),
      columns_(strided(domain.stored_rows(), domain.halo, domain.pitch, element)) {}

void HaloByMpi::exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) {
  stream.synchronize();  // the MPI knows nothing of streams
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return field + domain_.at(row, column) * element_bytes_;
  };
  const auto& [rows, columns] = domain_.local;
  const std::int64_t halo = domain_.halo;
  SideWatch watch(times, stream);
  trade({Side::north, rank_of(domain_.north), at(halo, 0), at(0, 0)},
        {Side::south, rank_of(domain_.south), at(rows, 0), at(rows + halo, 0)}, *rows_, watch);
  trade({Side::west, rank_of(domain_.west), at(0, halo), at(0, 0)},
        {Side::east, rank_of(domain_.east), at(0, columns), at(0, columns + halo)}, *columns_, watch);
}

void HaloByMpi::trade(const Edge& low, const Edge& high, MPI_Datatype datatype, SideWatch& watch) const {
  std::array<MPI_Request, 4> requests;
  MPI_Irecv(low.incoming, 1, datatype, low.neighbour, towards_high, comm_, requests.data());
  MPI_Irecv(high.incoming, 1, datatype, high.neighbour, towards_low, comm_, requests.data() + 2);
  MPI_Isend(low.outgoing, 1, datatype, low.neighbour, towards_low, comm_, requests.data() + 1);
  watch.messages(Phase::send, low.side);
  MPI_Isend(high.outgoing, 1, datatype, high.neighbour, towards_high, comm_, requests.data() + 3);
  watch.messages(Phase::send, high.side);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  watch.messages(Phase::wait, low.side);
  MPI_Waitall(2, requests.data() + 2, MPI_STATUSES_IGNORE);
  watch.messages(Phase::wait, high.side);
}

std::int64_t HaloByMpi::bytes_sent() const noexcept {
  const auto sides = [](int one, int other) {
    return static_cast<std::int64_t>(one != no_neighbour) + static_cast<std::int64_t>(other != no_neighbour);
  };
  return sides(domain_.north, domain_.south) * size_of(*rows_) +
         sides(domain_.west, domain_.east) * size_of(*columns_);
}

}  // namespace stencil2d
