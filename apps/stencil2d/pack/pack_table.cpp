// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/pack/pack_table.hpp"

#include "common/format.hpp"
#include "common/median.hpp"
#include "common/memory.hpp"
#include "stencil2d/pack/pack_cases.hpp"
#include "common/report.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/mpi.hpp>

#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace stencil2d {
namespace {

/// The MPI's own pack and unpack of a case, on whatever `user` memory holds.
class MpiPacker {
 public:
  MpiPacker(const PackCase& pack_case, std::byte* user)
      : user_(user),
        count_(static_cast<int>(pack_case.count)),
        bytes_(static_cast<int>(pack_case.packed_bytes())),
        datatype_(typewarp::mpi::encode(pack_case.datatype)) {
    typewarp::mpi::check(MPI_Type_commit(&datatype_), "MPI_Type_commit");
  }
  ~MpiPacker() { MPI_Type_free(&datatype_); }
  MpiPacker(const MpiPacker&) = delete;
  MpiPacker& operator=(const MpiPacker&) = delete;

  void pack(std::byte* packed) const {
    int position = 0;
    typewarp::mpi::check(MPI_Pack(user_, count_, datatype_, packed, bytes_, &position, MPI_COMM_SELF),
                         "MPI_Pack");
  }
  void unpack(const std::byte* packed) const {
    int position = 0;
    typewarp::mpi::check(MPI_Unpack(packed, bytes_, &position, user_, count_, datatype_, MPI_COMM_SELF),
                         "MPI_Unpack");
  }

 private:
  std::byte* user_;
  int count_;
  int bytes_;
  MPI_Datatype datatype_;
};

std::vector<std::byte> pattern(std::int64_t bytes, unsigned seed) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  for (std::byte& value : result) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<std::byte>(seed >> 24);
  }
  return result;
}

/// Whether Typewarp packs what the MPI unpacked, and the MPI packs what Typewarp unpacked.
bool agrees_with_mpi(const PackCase& pack_case, const typewarp::Plan& plan, const MpiPacker& mpi,
                     std::byte* user) {
  std::vector<std::byte> result(static_cast<std::size_t>(pack_case.packed_bytes()));
  const std::vector<std::byte> first = pattern(pack_case.packed_bytes(), 1);
  mpi.unpack(first.data());
  typewarp::pack(user, pack_case.count, plan, result.data(), nullptr);
  if (result != first) {
    return false;
  }
  const std::vector<std::byte> second = pattern(pack_case.packed_bytes(), 2);
  typewarp::unpack(second.data(), user, pack_case.count, plan, nullptr);
  mpi.pack(result.data());
  return result == second;
}

bool print_row(const PackCase& pack_case, std::byte* user) {
  const typewarp::Plan plan = typewarp::commit(pack_case.datatype);
  const MpiPacker mpi(pack_case, user);
  if (!agrees_with_mpi(pack_case, plan, mpi, user)) {
    std::printf("  %-12s %8s  WRONG: not the bytes of MPI_Pack\n", pack_case.name.c_str(),
                apps::format_bytes(pack_case.packed_bytes()).c_str());
    return false;
  }
  std::vector<std::byte> packed = pattern(pack_case.packed_bytes(), 3);
  std::byte* bytes = packed.data();
  const double mpi_pack = apps::median_seconds([&] { mpi.pack(bytes); });
  const double our_pack =
      apps::median_seconds([&] { typewarp::pack(user, pack_case.count, plan, bytes, nullptr); });
  const double mpi_unpack = apps::median_seconds([&] { mpi.unpack(bytes); });
  const double our_unpack =
      apps::median_seconds([&] { typewarp::unpack(bytes, user, pack_case.count, plan, nullptr); });
  std::printf("  %-12s %8s  %9.2f %9.2f %6.2fx  %9.2f %9.2f %6.2fx\n", pack_case.name.c_str(),
              apps::format_bytes(pack_case.packed_bytes()).c_str(), mpi_pack * 1e6, our_pack * 1e6,
              mpi_pack / our_pack, mpi_unpack * 1e6, our_unpack * 1e6, mpi_unpack / our_unpack);
  std::fflush(stdout);
  return true;
}

/// Typewarp packs large data with at most as many threads.
int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace

bool print_host_pack_table() {
  const int cores = usable_cores();
  std::printf(
      "\nPack and unpack in host memory, microseconds (median)\n"
      "against %s, on one rank while the others sleep; it may run on %d core%s\n"
      "  %-12s %8s  %9s %9s %7s  %9s %9s %7s\n",
      apps::mpi_name().c_str(), cores, cores == 1 ? "" : "s", "type", "packed", "MPI_Pack", "typewarp",
      "faster", "MPI_Unp.", "typewarp", "faster");
  bool right = true;
  for (const std::int64_t bytes : pack_sizes) {
    for (const PackCase& pack_case : pack_cases(bytes)) {
      const apps::Buffer user(typewarp::MemoryKind::host, pack_case.span());
      right = print_row(pack_case, user.data()) && right;
    }
  }
  return right;
}

}  // namespace stencil2d
