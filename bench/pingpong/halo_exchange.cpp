// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo_exchange.hpp"

#include "halo.hpp"

#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>

namespace typewarp::pingpong {
namespace {

constexpr std::int64_t width = 2;

std::vector<Plan> plans(const std::vector<Datatype>& types) {
  std::vector<Plan> result;
  for (const Datatype& type : types) result.push_back(commit(type));
  return result;
}

/// Calls visit(region, offset of the field, tag) for every message.
template <typename Visit>
void each(const Halo& halo, const Visit& visit) {
  const std::size_t regions = halo.sent_regions.size();
  for (std::int64_t field = 0; field < halo_fields; ++field) {
    for (std::size_t i = 0; i < regions; ++i) {
      visit(i, field * halo.field_bytes,
            static_cast<int>(field) * static_cast<int>(regions) + static_cast<int>(i));
    }
  }
}

}  // namespace

std::int64_t halo_bytes(std::int64_t interior) {
  return bench::halo_of_fields(bench::halo_regions(interior, width, bench::HaloSide::sent), halo_fields, 0)
      .size();
}

Halo::Halo(std::int64_t interior) {
  using bench::HaloSide;
  const std::vector<Datatype> own = bench::halo_regions(interior, width, HaloSide::sent);
  const std::vector<Datatype> others = bench::halo_regions(interior, width, HaloSide::received);
  const std::int64_t edge = interior + 2 * width;
  field_bytes = Datatype(Named::double_).size() * edge * edge * edge;
  sent = bench::halo_of_fields(own, halo_fields, field_bytes);
  received = bench::halo_of_fields(others, halo_fields, field_bytes);
  sent_regions = plans(own);
  received_regions = plans(others);
}

std::function<void()> exchange_by_library(const Peers& peers, const Halo& halo, const std::byte* from,
                                          std::byte* to, Stream stream) {
  return [=] {
    std::vector<Request> requests;
    each(halo, [&](std::size_t i, std::int64_t at, int tag) {
      requests.push_back(irecv(to + at, 1, halo.received_regions[i], peers.other(), tag, peers.comm, stream));
    });
    each(halo, [&](std::size_t i, std::int64_t at, int tag) {
      requests.push_back(isend(from + at, 1, halo.sent_regions[i], peers.other(), tag, peers.comm, stream));
    });
    wait_all(requests);
  };
}

std::function<void()> exchange_by_mpi(const Peers& peers, const Halo& halo, const std::byte* from,
                                      std::byte* to) {
  std::vector<MpiType> sends;
  std::vector<MpiType> receives;
  for (const Plan& plan : halo.sent_regions) sends.push_back(encoded(plan.datatype()));
  for (const Plan& plan : halo.received_regions) receives.push_back(encoded(plan.datatype()));
  return [=] {
    std::vector<MPI_Request> requests;
    each(halo, [&](std::size_t i, std::int64_t at, int tag) {
      MPI_Irecv(to + at, 1, *receives[i], peers.other(), tag, peers.comm, &requests.emplace_back());
    });
    each(halo, [&](std::size_t i, std::int64_t at, int tag) {
      MPI_Isend(from + at, 1, *sends[i], peers.other(), tag, peers.comm, &requests.emplace_back());
    });
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  };
}

}  // namespace typewarp::pingpong
