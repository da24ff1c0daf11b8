// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/halo/halo.hpp"

#include <typewarp/halo.hpp>
#include <typewarp/session.hpp>

#include <vector>

namespace apps {
namespace {

using namespace typewarp;

class HaloByTypewarp final : public Halo {
 public:
  HaloByTypewarp(const Domain& domain, const Fields& fields, const Place& place, MPI_Comm comm)
      : place_(place), session_(comm), exchange_(grid(domain, comm), described(domain, fields)) {}

  void exchange() override { exchange_.exchange(place_.stream()); }

 private:
  static halo::ProcessGrid grid(const Domain& domain, MPI_Comm comm) {
    const auto& [rows, columns] = domain.ranks;
    return {comm, {static_cast<int>(rows), static_cast<int>(columns)}, {true, true}};
  }
  static std::vector<halo::Field> described(const Domain& domain, const Fields& fields) {
    const halo::Descriptor rows = halo::with_halo(domain.owned.rows, domain.ghosts);
    const halo::Descriptor columns = halo::with_halo(domain.owned.columns, domain.ghosts);
    std::vector<halo::Field> all;
    for (const auto& [numbers, planes] : fields) {
      all.push_back({numbers,
                     {halo::without_halo(planes), rows, columns},
                     halo::Storage(),
                     {halo::Field::undivided, 0, 1}});
    }
    return all;
  }

  const Place& place_;
  Session session_;
  halo::Exchange exchange_;
};

}  // namespace

std::unique_ptr<Halo> halo_by_typewarp(const Domain& domain, const Fields& fields, const Place& place,
                                       MPI_Comm comm) {
  return std::make_unique<HaloByTypewarp>(domain, fields, place, comm);
}

}  // namespace apps
