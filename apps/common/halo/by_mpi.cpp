// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/datatype.hpp"
#include "common/halo/halo.hpp"
#include "common/halo/sides.hpp"

#include <vector>

namespace apps {
namespace {

struct Messages {
  int neighbour;
  Datatype outgoing, incoming;
};

class HaloByMpi final : public Halo {
 public:
  HaloByMpi(const Domain& domain, const Fields& fields, const Place& place, MPI_Comm comm)
      : place_(place), comm_(comm) {
    const auto messages = [&](const Side& side) {
      return Messages{side.neighbour, datatype_of(fields, domain.layout(), side.outgoing),
                      datatype_of(fields, domain.layout(), side.incoming)};
    };
    for (const Side& side : sides_of_rows(domain)) rows_.push_back(messages(side));
    for (const Side& side : sides_of_columns(domain)) columns_.push_back(messages(side));
  }

  void exchange() override {
    place_.synchronize();  // the MPI knows nothing of streams
    trade(rows_);
    trade(columns_);
  }

 private:
  void trade(const std::vector<Messages>& both) const {
    std::array<MPI_Request, 4> requests;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& [neighbour, outgoing, incoming] = both[i];
      MPI_Irecv(MPI_BOTTOM, 1, *incoming, neighbour, received_tags[i], comm_, &requests[i]);
      MPI_Isend(MPI_BOTTOM, 1, *outgoing, neighbour, sent_tags[i], comm_, &requests[2 + i]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }

  const Place& place_;
  MPI_Comm comm_;
  std::vector<Messages> rows_, columns_;
};

}  // namespace

std::unique_ptr<Halo> halo_by_mpi(const Domain& domain, const Fields& fields, const Place& place,
                                  MPI_Comm comm) {
  return std::make_unique<HaloByMpi>(domain, fields, place, comm);
}

}  // namespace apps
