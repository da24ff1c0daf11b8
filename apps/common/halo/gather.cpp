// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/gather.hpp"

#include "common/halo/datatype.hpp"

namespace apps {
namespace {

constexpr int gather_tag = 3;

std::vector<double> fetched(const Fields& fields, const Layout& layout, const Place& place) {
  std::vector<double> all;
  for (const auto& [numbers, planes] : fields) {
    const std::vector<double> one = place.fetched(numbers, planes * layout.cells());
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

}  // namespace

std::vector<double> gather(const Domain& domain, const Fields& fields, const Place& place, MPI_Comm comm) {
  std::vector<double> whole;
  std::vector<MPI_Request> requests;
  const Shape box = domain.global();
  if (domain.rank == 0) {
    whole.resize(static_cast<std::size_t>(fields.planes() * box.points()));
    for (int source = 0; source < domain.ranks.points(); ++source) {
      const Strip part{domain.origin(source), domain.owned};
      const Datatype type = datatype_of(fields.planes(), {box.rows, box.columns}, part);
      MPI_Irecv(whole.data(), 1, *type, source, gather_tag, comm, &requests.emplace_back());
    }
  }
  const std::vector<double> mine = fetched(fields, domain.layout(), place);
  const Datatype owned = datatype_of(fields.planes(), domain.layout(), domain.interior());
  MPI_Isend(mine.data(), 1, *owned, 0, gather_tag, comm, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return whole;
}

}  // namespace apps
