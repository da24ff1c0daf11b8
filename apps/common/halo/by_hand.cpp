// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/halo.hpp"
#include "common/halo/pack.hpp"
#include "common/halo/sides.hpp"
#include "common/memory.hpp"

#include <algorithm>
#include <array>

namespace apps {
namespace {

/// The messages to both sides, or from both, in memory of the host.
struct Messages {
  Messages(const Layout& layout, const Fields& fields, const Strip& low, const Strip& high,
           typewarp::MemoryKind kind)
      : strips{layout, fields, {low, high}},
        buffer(kind, strips.numbers() * static_cast<std::int64_t>(sizeof(double))) {}
  double* packed() const { return reinterpret_cast<double*>(buffer.data()); }
  double* message(std::size_t side) const { return packed() + (side == 0 ? 0 : strips.numbers() / 2); }

  Strips strips;
  Buffer buffer;
};

struct Direction {
  Direction(const Layout& layout, const Fields& fields, const Sides& sides, typewarp::MemoryKind kind)
      : neighbours{sides[0].neighbour, sides[1].neighbour},
        outgoing(layout, fields, sides[0].outgoing, sides[1].outgoing, kind),
        incoming(layout, fields, sides[0].incoming, sides[1].incoming, kind) {}
  std::array<int, 2> neighbours;
  Messages outgoing, incoming;
};

class HaloByHand final : public Halo {
 public:
  HaloByHand(const Domain& domain, const Fields& fields, const Place& place, MPI_Comm comm)
      : place_(place),
        comm_(comm),
        rank_(domain.rank),
        rows_(domain.layout(), fields, sides_of_rows(domain), place.staging_kind()),
        columns_(domain.layout(), fields, sides_of_columns(domain), place.staging_kind()) {}

  void exchange() override {
    trade(rows_);
    trade(columns_);
  }

 private:
  void trade(const Direction& direction) const {
    const auto& [neighbours, outgoing, incoming] = direction;
    if (neighbours[0] == rank_) return wrap(outgoing.strips, incoming.strips);
    const int count = static_cast<int>(outgoing.strips.numbers() / 2);
    std::array<MPI_Request, 4> requests;
    for (std::size_t i = 0; i < 2; ++i) {
      MPI_Irecv(incoming.message(i), count, MPI_DOUBLE, neighbours[i], received_tags[i], comm_, &requests[i]);
    }
    pack(outgoing);
    for (std::size_t i = 0; i < 2; ++i) {
      MPI_Isend(outgoing.message(i), count, MPI_DOUBLE, neighbours[i], sent_tags[i], comm_, &requests[2 + i]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    unpack(incoming);
  }

  /// The only rank along an axis is its own neighbour, which needs no messages.
  void wrap(const Strips& from, const Strips& to) const {
    const Wrap work{from, to, to.numbers() / 2};
    if (place_.on_gpu()) return place_.run(work, to.numbers());
    to.each_row([&](double* at, std::int64_t i, std::int64_t numbers) {
      std::copy_n(from.at(work.source(i)), numbers, at);
    });
  }

  void pack(const Messages& to) const {
    if (place_.on_gpu()) {
      place_.run(Pack{to.strips, to.packed()}, to.strips.numbers());
      return place_.synchronize();
    }
    to.strips.each_row([&](const double* at, std::int64_t i, std::int64_t numbers) {
      std::copy_n(at, numbers, to.packed() + i);
    });
  }

  void unpack(const Messages& from) const {
    if (place_.on_gpu()) {
      return place_.run(Unpack{from.strips, from.packed()}, from.strips.numbers());
    }
    from.strips.each_row([&](double* at, std::int64_t i, std::int64_t numbers) {
      std::copy_n(from.packed() + i, numbers, at);
    });
  }

  const Place& place_;
  MPI_Comm comm_;
  int rank_;
  Direction rows_, columns_;
};

}  // namespace

std::unique_ptr<Halo> halo_by_hand(const Domain& domain, const Fields& fields, const Place& place,
                                   MPI_Comm comm) {
  return std::make_unique<HaloByHand>(domain, fields, place, comm);
}

}  // namespace apps
