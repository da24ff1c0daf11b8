// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hydro/halo/halo.hpp"

#include <typewarp/halo.hpp>
#include <typewarp/session.hpp>

namespace hydro {
namespace {

using namespace typewarp::halo;

class HaloByTypewarp final : public Halo {
 public:
  HaloByTypewarp(const Domain& domain, double* arrays, const apps::Place& place, MPI_Comm comm)
      : place_(place), session_(comm), exchange_(grid(domain, comm), {field(domain, arrays)}) {}

  void exchange() override { exchange_.exchange(place_.stream()); }

 private:
  static ProcessGrid grid(const Domain& domain, MPI_Comm comm) {
    const auto& [rows, columns] = domain.ranks;
    return {comm, {static_cast<int>(rows), static_cast<int>(columns)}, {true, true}};
  }
  static Field field(const Domain& domain, double* arrays) {
    const auto& [rows, columns] = domain.owned;
    return {arrays,
            {without_halo(variables), with_halo(rows, ghosts), with_halo(columns, ghosts)},
            Storage(),
            {Field::undivided, 0, 1}};
  }

  const apps::Place& place_;
  typewarp::Session session_;
  Exchange exchange_;
};

}  // namespace

std::unique_ptr<Halo> halo_by_typewarp(const Domain& domain, double* arrays, const apps::Place& place,
                                       MPI_Comm comm) {
  return std::make_unique<HaloByTypewarp>(domain, arrays, place, comm);
}

}  // namespace hydro
