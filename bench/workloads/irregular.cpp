// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ddtbench.hpp"

/// The codes that gather by lists of indices: LAMMPS and SPECFEM3D.
namespace typewarp::bench {
namespace {

/// `sent` of `owned` atoms: positions (three doubles each) and `scalars` arrays of one double each, sent by
/// index, received behind the owned ones.
Workload lammps(const Allocate& allocate, std::int64_t owned, std::int64_t sent, int scalars) {
  Workload workload;
  const std::vector<std::int64_t> indices = shuffled_indices(sent, owned);
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  std::vector<Datatype> send_members;
  std::vector<Datatype> receive_members;
  for (int array = 0; array <= scalars; ++array) {
    const std::int64_t width = array == 0 ? 3 : 1;
    std::vector<std::int64_t> displacements = indices;
    for (std::int64_t& displacement : displacements) displacement *= width;
    workload.memory.emplace_back(8 * width * (owned + sent), allocate);
    from.push_back(address(workload.memory.back()));
    to.push_back(from.back() + 8 * width * owned);
    send_members.push_back(indexed_block(width, displacements, Named::double_));
    receive_members.push_back(contiguous(width * sent, Named::double_));
  }
  const std::vector<std::int64_t> ones(from.size(), 1);
  workload.send = {structure(ones, from, send_members), 1, nullptr};
  workload.receive = {structure(ones, to, receive_members), 1, nullptr};
  return workload;
}

/// Outer core: single floats.
Workload specfem_oc(const Allocate& allocate, std::int64_t points, std::int64_t sent) {
  Workload workload;
  workload.memory.emplace_back(4 * points, allocate);
  workload.send = {indexed_block(1, shuffled_indices(sent, points), Named::float_), 1,
                   workload.memory[0].data()};
  workload.receive = workload.send;
  return workload;
}

struct Region {
  std::int64_t points, sent;
};

/// Crust-mantle and inner core: three floats a point, both in one message.
Workload specfem_cm(const Allocate& allocate, Region crust_mantle, Region inner_core) {
  Workload workload;
  std::vector<std::int64_t> displacements;
  std::vector<Datatype> members;
  for (const Region& region : {crust_mantle, inner_core}) {
    std::vector<std::int64_t> indices = shuffled_indices(region.sent, region.points);
    for (std::int64_t& index : indices) index *= 3;
    workload.memory.emplace_back(12 * region.points, allocate);
    displacements.push_back(address(workload.memory.back()));
    members.push_back(indexed_block(3, indices, Named::float_));
  }
  workload.send = {structure({1, 1}, displacements, members), 1, nullptr};
  workload.receive = workload.send;
  return workload;
}

/// Every other point is sent, received without gaps.
Workload specfem_mt(const Allocate& allocate, std::int64_t sent) {
  Workload workload;
  workload.memory.emplace_back(24 * sent, allocate);
  std::byte* const data = workload.memory[0].data();
  workload.send = {vector(sent, 1, 2, contiguous(3, Named::float_)), 1, data};
  workload.receive = {contiguous(3 * sent, Named::float_), 1, data};
  return workload;
}

}  // namespace

void append_lammps(std::vector<NamedWorkload>& cases) {
  for (const Region& atoms : {Region{3534, 3062}, Region{2597, 2243}, Region{1907, 1662}}) {
    cases.push_back({"LAMMPS_full/" + std::to_string(atoms.sent),
                     [=](const Allocate& a) { return lammps(a, atoms.points, atoms.sent, 5); }});
  }
  for (const Region& atoms : {Region{4084, 243}, Region{2157, 145}, Region{1217, 114}}) {
    cases.push_back({"LAMMPS_atomic/" + std::to_string(atoms.sent),
                     [=](const Allocate& a) { return lammps(a, atoms.points, atoms.sent, 3); }});
  }
}

void append_specfem(std::vector<NamedWorkload>& cases) {
  for (const Region& core :
       {Region{88881, 3225}, Region{38585, 1897}, Region{12857, 877}, Region{3697, 493}}) {
    cases.push_back({"SPECFEM3D_oc/" + std::to_string(core.sent),
                     [=](const Allocate& a) { return specfem_oc(a, core.points, core.sent); }});
  }
  struct Pair {
    Region crust_mantle, inner_core;
  };
  for (const Pair& pair : {Pair{{834917, 11797}, {51153, 3009}}, Pair{{396849, 7125}, {22477, 1729}},
                           Pair{{152001, 3801}, {7209, 801}}, Pair{{39929, 1957}, {1225, 245}}}) {
    cases.push_back({"SPECFEM3D_cm/" + std::to_string(pair.crust_mantle.sent),
                     [=](const Allocate& a) { return specfem_cm(a, pair.crust_mantle, pair.inner_core); }});
  }
  for (const std::int64_t sent : {7600, 6400, 5600, 6200}) {
    cases.push_back(
        {"SPECFEM3D_mt/" + std::to_string(sent), [=](const Allocate& a) { return specfem_mt(a, sent); }});
  }
}

}  // namespace typewarp::bench
