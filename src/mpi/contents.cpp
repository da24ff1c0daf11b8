// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/contents.hpp"

#include <typewarp/mpi.hpp>

#include <array>
#include <functional>
#include <utility>

// Open MPI's MPI_Type_get_contents copies each child, so that a type which uses one child twice on each of n
// levels has 2^n handles, and reading it takes that long. What that call itself reads tells which children
// are one; up to version 5 it is this function, with this signature. Where a build lacks it, the copies have
// to do.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION <= 5
#define TYPEWARP_READS_IN_PLACE
extern "C" [[gnu::weak]] int ompi_datatype_get_args(MPI_Datatype datatype, int which, int* integers_count,
                                                    int* integers, int* addresses_count, MPI_Aint* addresses,
                                                    int* datatypes_count, MPI_Datatype* datatypes,
                                                    int* combiner);
#endif

namespace typewarp::mpi {
namespace {

struct Envelope {
  std::size_t integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  Combiner combiner = 0;
};

#if MPI_VERSION >= 4

// The `_c` call reads types of both forms, the int call only those made by int calls.
constexpr const char* envelope_call = "MPI_Type_get_envelope_c";

int get_envelope(MPI_Datatype datatype, Envelope& envelope) {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count datatypes = 0;
  const int code =
      MPI_Type_get_envelope_c(datatype, &integers, &addresses, &large_counts, &datatypes, &envelope.combiner);
  envelope.integers = static_cast<std::size_t>(integers);
  envelope.addresses = static_cast<std::size_t>(addresses);
  envelope.large_counts = static_cast<std::size_t>(large_counts);
  envelope.datatypes = static_cast<std::size_t>(datatypes);
  return code;
}

void get_contents(MPI_Datatype datatype, std::vector<int>& integers, std::vector<MPI_Aint>& addresses,
                  std::vector<MPI_Count>& large_counts, std::vector<MPI_Datatype>& datatypes) {
  check(MPI_Type_get_contents_c(
            datatype, static_cast<MPI_Count>(integers.size()), static_cast<MPI_Count>(addresses.size()),
            static_cast<MPI_Count>(large_counts.size()), static_cast<MPI_Count>(datatypes.size()),
            integers.data(), addresses.data(), large_counts.data(), datatypes.data()),
        "MPI_Type_get_contents_c");
}

#else

constexpr const char* envelope_call = "MPI_Type_get_envelope";

int get_envelope(MPI_Datatype datatype, Envelope& envelope) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  const int code = MPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &envelope.combiner);
  envelope.integers = static_cast<std::size_t>(integers);
  envelope.addresses = static_cast<std::size_t>(addresses);
  envelope.datatypes = static_cast<std::size_t>(datatypes);
  return code;
}

void get_contents(MPI_Datatype datatype, std::vector<int>& integers, std::vector<MPI_Aint>& addresses,
                  std::vector<MPI_Count>&, std::vector<MPI_Datatype>& datatypes) {
  check(MPI_Type_get_contents(datatype, static_cast<int>(integers.size()), static_cast<int>(addresses.size()),
                              static_cast<int>(datatypes.size()), integers.data(), addresses.data(),
                              datatypes.data()),
        "MPI_Type_get_contents");
}

#endif

/// Reads without taking over the children, if that is possible.
bool read_in_place([[maybe_unused]] MPI_Datatype datatype, [[maybe_unused]] std::vector<int>& integers,
                   [[maybe_unused]] std::vector<MPI_Aint>& addresses,
                   [[maybe_unused]] std::vector<MPI_Datatype>& datatypes) {
#ifdef TYPEWARP_READS_IN_PLACE
  if (ompi_datatype_get_args == nullptr) return false;
  constexpr int contents = 1;
  auto integers_count = static_cast<int>(integers.size());
  auto addresses_count = static_cast<int>(addresses.size());
  auto datatypes_count = static_cast<int>(datatypes.size());
  Combiner combiner = 0;
  return ompi_datatype_get_args(datatype, contents, &integers_count, integers.data(), &addresses_count,
                                addresses.data(), &datatypes_count, datatypes.data(),
                                &combiner) == MPI_SUCCESS;
#else
  return false;
#endif
}

Envelope checked_envelope(MPI_Datatype datatype) {
  Envelope envelope;
  check(get_envelope(datatype, envelope), envelope_call);
  return envelope;
}

}  // namespace

bool is_predefined(Combiner combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

bool is_named(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL) {
    throw InvalidArgument("typewarp::mpi::is_named", "datatype", "MPI_DATATYPE_NULL", "must not be null");
  }
  return is_predefined(checked_envelope(datatype).combiner);
}

Contents::Contents(MPI_Datatype datatype) {
  const Envelope made = checked_envelope(datatype);
  combiner_ = made.combiner;
  if (combiner_ == MPI_COMBINER_NAMED) return;  // named types have no contents: asking is an error
  integers_.resize(made.integers);
  addresses_.resize(made.addresses);
  large_counts_.resize(made.large_counts);
  children_.assign(made.datatypes, MPI_DATATYPE_NULL);
  owns_children_ = !read_in_place(datatype, integers_, addresses_, children_);
  if (owns_children_) get_contents(datatype, integers_, addresses_, large_counts_, children_);
}

Contents::~Contents() {
  if (!owns_children_) return;
  // Most structs have many members of few types: what was said of a handle is remembered for a while.
  std::array<std::pair<MPI_Datatype, bool>, 16> derived;
  derived.fill({MPI_DATATYPE_NULL, false});
  for (MPI_Datatype child : children_) {
    const std::size_t hash = std::hash<MPI_Datatype>()(child);
    auto& [handle, is_derived] = derived[(hash ^ hash >> 4) % derived.size()];
    if (handle != child) {
      // A handle that cannot even be asked what it is cannot be freed either.
      Envelope envelope;
      handle = child;
      is_derived = get_envelope(child, envelope) == MPI_SUCCESS && !is_predefined(envelope.combiner);
    }
    if (is_derived) MPI_Type_free(&child);
  }
}

bool Contents::predefined() const noexcept { return is_predefined(combiner_); }

std::vector<int> Contents::integers(int n) {
  std::vector<int> values;
  for (int i = 0; i < n; ++i) values.push_back(integer());
  return values;
}

std::int64_t Contents::count() {
  return large_counts_.empty() ? integer() : large_counts_.at(next_large_count_++);
}

std::vector<std::int64_t> Contents::counts(std::int64_t n) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  for (std::int64_t& value : values) value = count();
  return values;
}

std::int64_t Contents::displacement() {
  return large_counts_.empty() ? addresses_.at(next_address_++) : large_counts_.at(next_large_count_++);
}

std::vector<std::int64_t> Contents::displacements(std::int64_t n) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(n));
  for (std::int64_t& value : values) value = displacement();
  return values;
}

}  // namespace typewarp::mpi
