// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/library.hpp"

#include <gtest/gtest.h>

namespace typewarp::interpose {
namespace {

TEST(MpiLibrary, KnowsTheCLibrariesOfMpis) {
  for (const char* path : {"/usr/lib/libmpi.so.40", "libmpi.so", "/opt/intel/lib/libmpi.so.12",
                           "/x/libmpi_abi.so.1.0.0", "/usr/lib/libmpich.so.12", "/opt/cray/libmpi_cray.so.12",
                           "/opt/cray/libmpi_gnu_123.so.12", "/opt/cray/libmpich_nvidia.so.3"}) {
    EXPECT_TRUE(is_library_of_mpi(path)) << path;
  }
}

TEST(MpiLibrary, KnowsOtherLibrariesApart) {
  for (const char* path :
       {"", "/usr/lib/libmpi_cxx.so.40", "/usr/lib/libmpi_mpifh.so.40", "/usr/lib/libmpi_usempif08.so.40",
        "/usr/lib/libmpifort.so.12", "/usr/lib/libmpicxx.so.12", "/usr/lib/libmpichf90.so.12",
        "/usr/lib/libmpichcxx.so.12", "/usr/lib/libopen-pal.so.80", "/usr/lib/libtypewarp_mpi.so",
        "/usr/libmpi.so.40/libc.so.6", "/usr/lib/libmpi_java.so.40"}) {
    EXPECT_FALSE(is_library_of_mpi(path)) << path;
  }
}

TEST(MpiLibrary, KnowsFortranLibrariesOfMpis) {
  for (const char* path :
       {"/usr/lib/libmpi_mpifh.so.40", "/usr/lib/libmpi_mpifh-gfortran.so.40",
        "/usr/lib/libmpi_usempif08.so.40", "libmpi_usempi_ignore_tkr.so", "/opt/ibm/libmpi_ibm_mpifh.so.3",
        "/usr/lib/libmpifort.so.12", "/usr/lib/libmpichfort.so.12", "/opt/cray/libmpifort_gnu_123.so.12",
        "/usr/lib/libmpichf90.so.12"}) {
    EXPECT_TRUE(is_fortran_library_of_mpi(path)) << path;
  }
  for (const char* path : {"", "/usr/lib/libmpi.so.40", "/usr/lib/libmpich.so.12", "/opt/libmpiP.so.3",
                           "/usr/lib/libmpi_cxx.so.40", "/usr/lib/libgfortran.so.5",
                           "/usr/lib/libmpi_java.so.40", "/opt/libmpifort.so/libm.so.6"}) {
    EXPECT_FALSE(is_fortran_library_of_mpi(path)) << path;
  }
}

TEST(MpiLibrary, HasNoFunctionsIfThereIsNone) { EXPECT_EQ(MpiLibrary{}.address("malloc"), nullptr); }

}  // namespace
}  // namespace typewarp::interpose
