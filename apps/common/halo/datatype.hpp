// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/halo/fields.hpp"

#include <mpi.h>

#include <memory>
#include <vector>

namespace apps {

struct FreeDatatype {
  void operator()(MPI_Datatype* datatype) const {
    MPI_Type_free(datatype);
    delete datatype;
  }
};
using Datatype = std::unique_ptr<MPI_Datatype, FreeDatatype>;

/// A strip of so many planes of a layout, where it lies.
inline Datatype datatype_of(std::int64_t planes, const Layout& layout, const Strip& strip) {
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  const int whole[] = {number(planes), number(layout.rows), number(layout.columns)};
  const int part[] = {number(planes), number(strip.size.rows), number(strip.size.columns)};
  const int start[] = {0, number(strip.start.rows), number(strip.start.columns)};
  Datatype made(new MPI_Datatype(MPI_DATATYPE_NULL));
  MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, made.get());
  MPI_Type_commit(made.get());
  return made;
}

/// The same of all fields, at their addresses.
inline Datatype datatype_of(const Fields& fields, const Layout& layout, const Strip& strip) {
  std::vector<Datatype> parts;
  std::vector<MPI_Datatype> types;
  std::vector<MPI_Aint> addresses;
  for (const auto& [numbers, planes] : fields) {
    parts.push_back(datatype_of(planes, layout, strip));
    types.push_back(*parts.back());
    MPI_Get_address(numbers, &addresses.emplace_back());
  }
  const std::vector<int> ones(types.size(), 1);
  Datatype made(new MPI_Datatype(MPI_DATATYPE_NULL));
  MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), addresses.data(), types.data(),
                         made.get());
  MPI_Type_commit(made.get());
  return made;
}

}  // namespace apps
