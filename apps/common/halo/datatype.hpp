// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/datatype.hpp"
#include "common/halo/fields.hpp"

#include <mpi.h>

#include <vector>

namespace apps {

/// A strip of so many planes of a layout, where it lies.
inline Datatype datatype_of(std::int64_t planes, const Layout& layout, const Strip& strip) {
  const auto number = [](std::int64_t value) { return static_cast<int>(value); };
  const int whole[] = {number(planes), number(layout.rows), number(layout.columns)};
  const int part[] = {number(planes), number(strip.size.rows), number(strip.size.columns)};
  const int start[] = {0, number(strip.start.rows), number(strip.start.columns)};
  return committed([&](MPI_Datatype* made) {
    MPI_Type_create_subarray(3, whole, part, start, MPI_ORDER_C, MPI_DOUBLE, made);
  });
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
  return committed([&](MPI_Datatype* made) {
    MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), addresses.data(), types.data(), made);
  });
}

}  // namespace apps
