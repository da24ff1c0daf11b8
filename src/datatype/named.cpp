// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/named.hpp"

#include "datatype/signature.hpp"

#include <algorithm>
#include <array>
#include <complex>

namespace typewarp {

namespace {

using datatype::Basic;

struct NamedTraits {
  Named named;
  std::string_view name;
  std::int64_t alignment;
  std::size_t count;
  std::array<Basic, 2> basics;
};

constexpr NamedTraits single(Named named, std::string_view name, std::int64_t size, std::int64_t alignment) {
  return {named, name, alignment, 1, {Basic{named, 0, size}, Basic{named, 0, 0}}};
}

template <typename T>
constexpr NamedTraits of(Named named, std::string_view name) {
  return single(named, name, sizeof(T), alignof(T));
}

/// struct { First first; Second second; }, as MPI 5.0, section 6.9.4 defines the pair types.
template <typename First, typename Second>
constexpr NamedTraits pair(Named named, std::string_view name, Named first, Named second) {
  constexpr std::int64_t start = (sizeof(First) + alignof(Second) - 1) / alignof(Second) * alignof(Second);
  return {named,
          name,
          std::max(alignof(First), alignof(Second)),
          2,
          {Basic{first, 0, sizeof(First)}, Basic{second, start, sizeof(Second)}}};
}

// Fortran's default kinds are those of the compilers of every platform that has both MPI and GPUs.
constexpr std::array table{
    of<char>(Named::char_, "MPI_CHAR"),
    of<signed char>(Named::signed_char, "MPI_SIGNED_CHAR"),
    of<unsigned char>(Named::unsigned_char, "MPI_UNSIGNED_CHAR"),
    of<unsigned char>(Named::byte, "MPI_BYTE"),
    of<unsigned char>(Named::packed, "MPI_PACKED"),
    of<wchar_t>(Named::wchar, "MPI_WCHAR"),
    of<short>(Named::short_, "MPI_SHORT"),
    of<unsigned short>(Named::unsigned_short, "MPI_UNSIGNED_SHORT"),
    of<int>(Named::int_, "MPI_INT"),
    of<unsigned>(Named::unsigned_int, "MPI_UNSIGNED"),
    of<long>(Named::long_, "MPI_LONG"),
    of<unsigned long>(Named::unsigned_long, "MPI_UNSIGNED_LONG"),
    of<long long>(Named::long_long, "MPI_LONG_LONG"),
    of<unsigned long long>(Named::unsigned_long_long, "MPI_UNSIGNED_LONG_LONG"),
    of<float>(Named::float_, "MPI_FLOAT"),
    of<double>(Named::double_, "MPI_DOUBLE"),
    of<long double>(Named::long_double, "MPI_LONG_DOUBLE"),
    of<bool>(Named::c_bool, "MPI_C_BOOL"),
    of<std::int8_t>(Named::int8, "MPI_INT8_T"),
    of<std::int16_t>(Named::int16, "MPI_INT16_T"),
    of<std::int32_t>(Named::int32, "MPI_INT32_T"),
    of<std::int64_t>(Named::int64, "MPI_INT64_T"),
    of<std::uint8_t>(Named::uint8, "MPI_UINT8_T"),
    of<std::uint16_t>(Named::uint16, "MPI_UINT16_T"),
    of<std::uint32_t>(Named::uint32, "MPI_UINT32_T"),
    of<std::uint64_t>(Named::uint64, "MPI_UINT64_T"),
    of<std::complex<float>>(Named::complex_float, "MPI_C_FLOAT_COMPLEX"),
    of<std::complex<double>>(Named::complex_double, "MPI_C_DOUBLE_COMPLEX"),
    of<std::complex<long double>>(Named::complex_long_double, "MPI_C_LONG_DOUBLE_COMPLEX"),
    of<bool>(Named::cxx_bool, "MPI_CXX_BOOL"),
    of<std::complex<float>>(Named::cxx_complex_float, "MPI_CXX_FLOAT_COMPLEX"),
    of<std::complex<double>>(Named::cxx_complex_double, "MPI_CXX_DOUBLE_COMPLEX"),
    of<std::complex<long double>>(Named::cxx_complex_long_double, "MPI_CXX_LONG_DOUBLE_COMPLEX"),
    of<std::int64_t>(Named::aint, "MPI_AINT"),
    of<std::int64_t>(Named::count, "MPI_COUNT"),
    of<std::int64_t>(Named::offset, "MPI_OFFSET"),
    single(Named::character, "MPI_CHARACTER", 1, 1),
    single(Named::logical, "MPI_LOGICAL", 4, 4),
    single(Named::integer, "MPI_INTEGER", 4, 4),
    single(Named::real, "MPI_REAL", 4, 4),
    single(Named::double_precision, "MPI_DOUBLE_PRECISION", 8, 8),
    single(Named::complex, "MPI_COMPLEX", 8, 4),
    single(Named::double_complex, "MPI_DOUBLE_COMPLEX", 16, 8),
    single(Named::integer1, "MPI_INTEGER1", 1, 1),
    single(Named::integer2, "MPI_INTEGER2", 2, 2),
    single(Named::integer4, "MPI_INTEGER4", 4, 4),
    single(Named::integer8, "MPI_INTEGER8", 8, 8),
    single(Named::real4, "MPI_REAL4", 4, 4),
    single(Named::real8, "MPI_REAL8", 8, 8),
    single(Named::real16, "MPI_REAL16", 16, 16),
    single(Named::complex8, "MPI_COMPLEX8", 8, 4),
    single(Named::complex16, "MPI_COMPLEX16", 16, 8),
    single(Named::complex32, "MPI_COMPLEX32", 32, 16),
    single(Named::logical1, "MPI_LOGICAL1", 1, 1),
    single(Named::logical2, "MPI_LOGICAL2", 2, 2),
    single(Named::logical4, "MPI_LOGICAL4", 4, 4),
    single(Named::logical8, "MPI_LOGICAL8", 8, 8),
    single(Named::logical16, "MPI_LOGICAL16", 16, 16),
    pair<float, int>(Named::float_int, "MPI_FLOAT_INT", Named::float_, Named::int_),
    pair<double, int>(Named::double_int, "MPI_DOUBLE_INT", Named::double_, Named::int_),
    pair<long, int>(Named::long_int, "MPI_LONG_INT", Named::long_, Named::int_),
    pair<int, int>(Named::two_int, "MPI_2INT", Named::int_, Named::int_),
    pair<short, int>(Named::short_int, "MPI_SHORT_INT", Named::short_, Named::int_),
    pair<long double, int>(Named::long_double_int, "MPI_LONG_DOUBLE_INT", Named::long_double, Named::int_),
    pair<float, float>(Named::two_real, "MPI_2REAL", Named::real, Named::real),
    pair<double, double>(Named::two_double_precision, "MPI_2DOUBLE_PRECISION", Named::double_precision,
                         Named::double_precision),
    pair<std::int32_t, std::int32_t>(Named::two_integer, "MPI_2INTEGER", Named::integer, Named::integer),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].named != static_cast<Named>(i)) return false;
  }
  return true;
}
static_assert(table.size() == datatype::named_count && in_order(), "the table is indexed by enumerator");

const NamedTraits& entry(Named named) {
  const auto index = static_cast<std::size_t>(named);
  if (index >= table.size()) {
    throw InvalidArgument("typewarp::Datatype", "named", static_cast<long long>(index),
                          "must be an enumerator of typewarp::Named");
  }
  return table[index];
}

}  // namespace

std::string_view name(Named named) noexcept {
  const auto index = static_cast<std::size_t>(named);
  return index < table.size() ? table[index].name : "(no named type)";
}

namespace datatype {

std::span<const Basic> basic_elements(Named named) {
  return std::span(entry(named).basics).first(entry(named).count);
}

Attributes named_attributes(Named named) {
  Attributes attributes;
  attributes.alignment = entry(named).alignment;
  for (const Basic& basic : basic_elements(named)) {
    attributes.dense = attributes.dense && basic.displacement == attributes.size;
    attributes.size += basic.size;
    attributes.true_ub = basic.displacement + basic.size;
    attributes.signature = concatenated(attributes.signature, signature_of(basic.type));
  }
  attributes.elements = attributes.signature.elements;
  attributes.ub =
      (attributes.true_ub + attributes.alignment - 1) / attributes.alignment * attributes.alignment;
  return attributes;
}

}  // namespace datatype
}  // namespace typewarp
