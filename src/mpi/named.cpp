// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/named.hpp"

#include "mpi/large.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>

namespace typewarp::mpi {
namespace {

struct NamedHandle {
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
      NamedHandle{Named::char_, MPI_CHAR},
      NamedHandle{Named::signed_char, MPI_SIGNED_CHAR},
      NamedHandle{Named::unsigned_char, MPI_UNSIGNED_CHAR},
      NamedHandle{Named::byte, MPI_BYTE},
      NamedHandle{Named::packed, MPI_PACKED},
      NamedHandle{Named::wchar, MPI_WCHAR},
      NamedHandle{Named::short_, MPI_SHORT},
      NamedHandle{Named::unsigned_short, MPI_UNSIGNED_SHORT},
      NamedHandle{Named::int_, MPI_INT},
      NamedHandle{Named::unsigned_int, MPI_UNSIGNED},
      NamedHandle{Named::long_, MPI_LONG},
      NamedHandle{Named::unsigned_long, MPI_UNSIGNED_LONG},
      NamedHandle{Named::long_long, MPI_LONG_LONG},
      NamedHandle{Named::unsigned_long_long, MPI_UNSIGNED_LONG_LONG},
      NamedHandle{Named::float_, MPI_FLOAT},
      NamedHandle{Named::double_, MPI_DOUBLE},
      NamedHandle{Named::long_double, MPI_LONG_DOUBLE},
      NamedHandle{Named::c_bool, MPI_C_BOOL},
      NamedHandle{Named::int8, MPI_INT8_T},
      NamedHandle{Named::int16, MPI_INT16_T},
      NamedHandle{Named::int32, MPI_INT32_T},
      NamedHandle{Named::int64, MPI_INT64_T},
      NamedHandle{Named::uint8, MPI_UINT8_T},
      NamedHandle{Named::uint16, MPI_UINT16_T},
      NamedHandle{Named::uint32, MPI_UINT32_T},
      NamedHandle{Named::uint64, MPI_UINT64_T},
      NamedHandle{Named::complex_float, MPI_C_FLOAT_COMPLEX},
      NamedHandle{Named::complex_double, MPI_C_DOUBLE_COMPLEX},
      NamedHandle{Named::complex_long_double, MPI_C_LONG_DOUBLE_COMPLEX},
      NamedHandle{Named::cxx_bool, if_built(MPI_CXX_BOOL)},
      NamedHandle{Named::cxx_complex_float, if_built(MPI_CXX_FLOAT_COMPLEX)},
      NamedHandle{Named::cxx_complex_double, if_built(MPI_CXX_DOUBLE_COMPLEX)},
      NamedHandle{Named::cxx_complex_long_double, if_built(MPI_CXX_LONG_DOUBLE_COMPLEX)},
      NamedHandle{Named::aint, MPI_AINT},
      NamedHandle{Named::count, MPI_COUNT},
      NamedHandle{Named::offset, MPI_OFFSET},
      NamedHandle{Named::character, if_built(MPI_CHARACTER)},
      NamedHandle{Named::logical, if_built(MPI_LOGICAL)},
      NamedHandle{Named::integer, if_built(MPI_INTEGER)},
      NamedHandle{Named::real, if_built(MPI_REAL)},
      NamedHandle{Named::double_precision, if_built(MPI_DOUBLE_PRECISION)},
      NamedHandle{Named::complex, if_built(MPI_COMPLEX)},
      NamedHandle{Named::double_complex, if_built(MPI_DOUBLE_COMPLEX)},
      NamedHandle{Named::integer1, if_built(MPI_INTEGER1)},
      NamedHandle{Named::integer2, if_built(MPI_INTEGER2)},
      NamedHandle{Named::integer4, if_built(MPI_INTEGER4)},
      NamedHandle{Named::integer8, if_built(MPI_INTEGER8)},
      NamedHandle{Named::real4, if_built(MPI_REAL4)},
      NamedHandle{Named::real8, if_built(MPI_REAL8)},
      NamedHandle{Named::real16, if_built(MPI_REAL16)},
      NamedHandle{Named::complex8, if_built(MPI_COMPLEX8)},
      NamedHandle{Named::complex16, if_built(MPI_COMPLEX16)},
      NamedHandle{Named::complex32, if_built(MPI_COMPLEX32)},
#ifdef MPI_LOGICAL1
      NamedHandle{Named::logical1, if_built(MPI_LOGICAL1)},
#else
      NamedHandle{Named::logical1, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL2
      NamedHandle{Named::logical2, if_built(MPI_LOGICAL2)},
#else
      NamedHandle{Named::logical2, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL4
      NamedHandle{Named::logical4, if_built(MPI_LOGICAL4)},
#else
      NamedHandle{Named::logical4, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL8
      NamedHandle{Named::logical8, if_built(MPI_LOGICAL8)},
#else
      NamedHandle{Named::logical8, MPI_DATATYPE_NULL},
#endif
#ifdef MPI_LOGICAL16
      NamedHandle{Named::logical16, if_built(MPI_LOGICAL16)},
#else
      NamedHandle{Named::logical16, MPI_DATATYPE_NULL},
#endif
      NamedHandle{Named::float_int, MPI_FLOAT_INT},
      NamedHandle{Named::double_int, MPI_DOUBLE_INT},
      NamedHandle{Named::long_int, MPI_LONG_INT},
      NamedHandle{Named::two_int, MPI_2INT},
      NamedHandle{Named::short_int, MPI_SHORT_INT},
      NamedHandle{Named::long_double_int, MPI_LONG_DOUBLE_INT},
      NamedHandle{Named::two_real, if_built(MPI_2REAL)},
      NamedHandle{Named::two_double_precision, if_built(MPI_2DOUBLE_PRECISION)},
      NamedHandle{Named::two_integer, if_built(MPI_2INTEGER)},
  };
  return entries;
}

}  // namespace

MPI_Datatype handle(Named named) { return table()[static_cast<std::size_t>(named)].handle; }

std::optional<Named> named(MPI_Datatype handle) {
  const auto found = std::ranges::find(table(), handle, &NamedHandle::handle);
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
