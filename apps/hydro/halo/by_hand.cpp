// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/memory.hpp"
#include "hydro/halo/halo.hpp"
#include "hydro/halo/pack.hpp"
#include "hydro/halo/sides.hpp"

#include <utility>
#include <vector>

namespace hydro {
namespace {

/// One side's messages, in memory of the host.
struct Messages {
  Messages(const Side& of, typewarp::MemoryKind kind)
      : side(of), outgoing(kind, bytes(of)), incoming(kind, bytes(of)) {}
  static std::int64_t bytes(const Side& side) {
    return side.outgoing.numbers() * static_cast<std::int64_t>(sizeof(double));
  }
  double* sent() const { return reinterpret_cast<double*>(outgoing.data()); }
  double* received() const { return reinterpret_cast<double*>(incoming.data()); }

  Side side;
  apps::Buffer outgoing, incoming;
};

class HaloByHand final : public Halo {
 public:
  HaloByHand(const Domain& domain, double* arrays, const apps::Place& place, MPI_Comm comm)
      : layout_(domain.layout()), arrays_(arrays), place_(place), comm_(comm) {
    for (const Side& side : sides_of_rows(domain)) rows_.emplace_back(side, place.staging_kind());
    for (const Side& side : sides_of_columns(domain)) columns_.emplace_back(side, place.staging_kind());
  }

  void exchange() override {
    trade(rows_);
    trade(columns_);
  }

 private:
  void trade(const std::vector<Messages>& both) const {
    std::array<MPI_Request, 4> requests;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& [side, outgoing, incoming] = both[i];
      MPI_Irecv(both[i].received(), static_cast<int>(side.incoming.numbers()), MPI_DOUBLE, side.neighbour,
                received_tags[i], comm_, &requests[i]);
      place_.run(Pack{layout_, side.outgoing, arrays_, both[i].sent()}, side.outgoing.numbers());
    }
    place_.synchronize();
    for (std::size_t i = 0; i < 2; ++i) {
      const Side& side = both[i].side;
      MPI_Isend(both[i].sent(), static_cast<int>(side.outgoing.numbers()), MPI_DOUBLE, side.neighbour,
                sent_tags[i], comm_, &requests[2 + i]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (const Messages& messages : both) {
      const Strip& strip = messages.side.incoming;
      place_.run(Unpack{layout_, strip, messages.received(), arrays_}, strip.numbers());
    }
  }

  Layout layout_;
  double* arrays_;
  const apps::Place& place_;
  MPI_Comm comm_;
  std::vector<Messages> rows_, columns_;
};

}  // namespace

std::unique_ptr<Halo> halo_by_hand(const Domain& domain, double* arrays, const apps::Place& place,
                                   MPI_Comm comm) {
  return std::make_unique<HaloByHand>(domain, arrays, place, comm);
}

}  // namespace hydro
