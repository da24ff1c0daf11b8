// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/named.hpp"

#include "mpi/large.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>

namespace typewarp::mpi {
namespace {

struct Entry {
  Named named;
  MPI_Datatype handle;
};

// An MPI built without a Fortran type still has the handle, of a type of size 0. In the standard ABI all
// handles are constants, and to ask for the size of one that the MPI lacks is an error, fatal under Intel MPI
// 2021.19 whatever the error handler: there only its use tells.
MPI_Datatype if_built(MPI_Datatype handle) {
#if defined(MPI_ABI_VERSION) && !defined(MPICH_NUMVERSION)
  return handle;
#else
  return handle == MPI_DATATYPE_NULL || size(handle) == 0 ? MPI_DATATYPE_NULL : handle;
#endif
}

// In the order of the enumerators. A handle may be an address that only the loader knows: so no constant
// expression.
const auto& table() {
  static const std::array entries{
      Entry{Named::char_, MPI_CHAR},
      Entry{Named::signed_char, MPI_SIGNED_CHAR},
      Entry{Named::unsigned_char, MPI_UNSIGNED_CHAR},
      Entry{Named::byte, MPI_BYTE},
      Entry{Named::packed, MPI_PACKED},
      Entry{Named::wchar, MPI_WCHAR},
      Entry{Named::short_, MPI_SHORT},
      Entry{Named::unsigned_short, MPI_UNSIGNED_SHORT},
      Entry{Named::int_, MPI_INT},
      Entry{Named::unsigned_int, MPI_UNSIGNED},
      Entry{Named::long_, MPI_LONG},
      Entry{Named::unsigned_long, MPI_UNSIGNED_LONG},
      Entry{Named::long_long, MPI_LONG_LONG},
      Entry{Named::unsigned_long_long, MPI_UNSIGNED_LONG_LONG},
      Entry{Named::float_, MPI_FLOAT},
      Entry{Named::double_, MPI_DOUBLE},
      Entry{Named::long_double, MPI_LONG_DOUBLE},
      Entry{Named::c_bool, MPI_C_BOOL},
      Entry{Named::int8, MPI_INT8_T},
      Entry{Named::int16, MPI_INT16_T},
      Entry{Named::int32, MPI_INT32_T},
      Entry{Named::int64, MPI_INT64_T},
      Entry{Named::uint8, MPI_UINT8_T},
      Entry{Named::uint16, MPI_UINT16_T},
      Entry{Named::uint32, MPI_UINT32_T},
      Entry{Named::uint64, MPI_UINT64_T},
      Entry{Named::complex_float, MPI_C_FLOAT_COMPLEX},
      Entry{Named::complex_double, MPI_C_DOUBLE_COMPLEX},
      Entry{Named::complex_long_double, MPI_C_LONG_DOUBLE_COMPLEX},
      Entry{Named::cxx_bool, if_built(MPI_CXX_BOOL)},
      Entry{Named::cxx_complex_float, if_built(MPI_CXX_FLOAT_COMPLEX)},
      Entry{Named::cxx_complex_double, if_built(MPI_CXX_DOUBLE_COMPLEX)},
      Entry{Named::cxx_complex_long_double, if_built(MPI_CXX_LONG_DOUBLE_COMPLEX)},
      Entry{Named::aint, MPI_AINT},
      Entry{Named::count, MPI_COUNT},
      Entry{Named::offset, MPI_OFFSET},
      Entry{Named::character, if_built(MPI_CHARACTER)},
      Entry{Named::logical, if_built(MPI_LOGICAL)},
      Entry{Named::integer, if_built(MPI_INTEGER)},
      Entry{Named::real, if_built(MPI_REAL)},
      Entry{Named::double_precision, if_built(MPI_DOUBLE_PRECISION)},
      Entry{Named::complex, if_built(MPI_COMPLEX)},
      Entry{Named::double_complex, if_built(MPI_DOUBLE_COMPLEX)},
      Entry{Named::integer1, if_built(MPI_INTEGER1)},
      Entry{Named::integer2, if_built(MPI_INTEGER2)},
      Entry{Named::integer4, if_built(MPI_INTEGER4)},
      Entry{Named::integer8, if_built(MPI_INTEGER8)},
      Entry{Named::real4, if_built(MPI_REAL4)},
      Entry{Named::real8, if_built(MPI_REAL8)},
      Entry{Named::real16, if_built(MPI_REAL16)},
      Entry{Named::complex8, if_built(MPI_COMPLEX8)},
      Entry{Named::complex16, if_built(MPI_COMPLEX16)},
      Entry{Named::complex32, if_built(MPI_COMPLEX32)},
#ifdef MPI_LOGICAL1
      Entry{Named::logical1, if_built(MPI_LOGICAL1)},
#else
      Entry{Named::logical1, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL2
      Entry{Named::logical2, if_built(MPI_LOGICAL2)},
#else
      Entry{Named::logical2, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL4
      Entry{Named::logical4, if_built(MPI_LOGICAL4)},
#else
      Entry{Named::logical4, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL8
      Entry{Named::logical8, if_built(MPI_LOGICAL8)},
#else
      Entry{Named::logical8, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL16
      Entry{Named::logical16, if_built(MPI_LOGICAL16)},
#else
      Entry{Named::logical16, MPI_DATATYPE_NULL},
#endif
      Entry{Named::float_int, MPI_FLOAT_INT},
      Entry{Named::double_int, MPI_DOUBLE_INT},
      Entry{Named::long_int, MPI_LONG_INT},
      Entry{Named::two_int, MPI_2INT},
      Entry{Named::short_int, MPI_SHORT_INT},
      Entry{Named::long_double_int, MPI_LONG_DOUBLE_INT},
      Entry{Named::two_real, if_built(MPI_2REAL)},
      Entry{Named::two_double_precision, if_built(MPI_2DOUBLE_PRECISION)},
      Entry{Named::two_integer, if_built(MPI_2INTEGER)},
  };
  return entries;
}

}  // namespace

MPI_Datatype handle(Named named) { return table()[static_cast<std::size_t>(named)].handle; }

std::optional<Named> named(MPI_Datatype handle) {
  const auto found = std::ranges::find(table(), handle, &Entry::handle);
  if (handle == MPI_DATATYPE_NULL || found == table().end()) return std::nullopt;
  return found->named;
}

std::string name_of(MPI_Datatype datatype) {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = 0;
  check(MPI_Type_get_name(datatype, text.data(), &length), "MPI_Type_get_name");
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "a datatype without name";
}

}  // namespace typewarp::mpi
