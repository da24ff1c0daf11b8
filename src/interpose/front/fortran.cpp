// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An MPI's Fortran calls translate handles, constants, indices and array sections, and then make a C call.
// That call is the one to take. Where it is a PMPI call, no exported name can stand before it, but the slot
// that the dynamic linker fills with its address can be changed.
#include "interpose/front/front.hpp"

#include "interpose/front/image.hpp"
#include "interpose/front/library.hpp"
#include "interpose/front/trampolines.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace typewarp::interpose {
namespace {

/// Open MPI 5's Fortran calls write into the request that these give back, as one of Open MPI's own
/// nonblocking collectives: behind the end of any other, such as ours.
constexpr std::array writes_into_request{"MPI_Ialltoallw",
                                         "MPI_Ineighbor_alltoallw",
                                         "MPI_Allgatherv_init",
                                         "MPI_Alltoallv_init",
                                         "MPI_Alltoallw_init",
                                         "MPI_Gatherv_init",
                                         "MPI_Scatterv_init",
                                         "MPI_Reduce_scatter_init",
                                         "MPI_Neighbor_allgatherv_init",
                                         "MPI_Neighbor_alltoallv_init",
                                         "MPI_Neighbor_alltoallw_init"};

/// With their variants for large counts.
bool stays_the_mpis(const char* name) noexcept {
  return std::ranges::any_of(writes_into_request, [name](const char* known) {
    const std::size_t length = std::strlen(known);
    return std::strncmp(name, known, length) == 0 &&
           (name[length] == 0 || std::strcmp(name + length, "_c") == 0);
  });
}

/// How many slots of a library now lead to calls of ours.
int lead(const Image& image) noexcept {
  int led = 0;
  for_each_slot(image, [&](const Slot& slot) {
    const char* const symbol = image.name_of(*slot.symbol);
    if (std::strncmp(symbol, "PMPI_", 5) != 0 || stays_the_mpis(symbol + 1)) return;
    const std::size_t number = number_of(symbol + 1);
    if (number == none) return;
    __atomic_store_n(slot.word, typewarp_trampolines[number], __ATOMIC_RELEASE);
    ++led;
  });
  return led;
}

int adopt(dl_phdr_info* info, std::size_t, void*) noexcept {
  if (!is_fortran_library_of_mpi(info->dlpi_name)) return 0;
  if (is_set("TYPEWARP_DISABLE")) {
    report("Fortran library %s: all its calls go to the MPI: TYPEWARP_DISABLE=1", info->dlpi_name);
    return 0;
  }
  const Writable writable = writable_slots(*info);
  if (writable.good()) {
    const int led = lead(image_of(*info));
    report("Fortran library %s: %d PMPI calls lead to ours", info->dlpi_name, led);
  } else {
    report("Fortran library %s: its PMPI calls are not seen, as mprotect failed", info->dlpi_name);
  }
  return 0;
}

}  // namespace

void adopt_fortran_libraries() noexcept { dl_iterate_phdr(adopt, nullptr); }

}  // namespace typewarp::interpose

namespace {

/// A Fortran program makes no call that we export before its MPI makes one for it.
[[gnu::constructor]] void adopt_at_start() { typewarp::interpose::adopt_fortran_libraries(); }

}  // namespace
