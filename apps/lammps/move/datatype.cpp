// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/datatype.hpp"

namespace lammps {

typewarp::Datatype datatype_of(const Part& part) {
  std::vector<std::int64_t> addresses;
  std::vector<typewarp::Datatype> columns;
  for (const Column& column : part.columns) {
    const typewarp::Datatype row = typewarp::contiguous(column.words, typewarp::Named::int64);
    if (part.list == nullptr) {
      addresses.push_back(reinterpret_cast<std::int64_t>(column.row(part.first)));
      columns.push_back(typewarp::contiguous(part.count, row));
      continue;
    }
    const auto first = part.list->values().begin() + part.first;
    addresses.push_back(reinterpret_cast<std::int64_t>(column.data));
    columns.push_back(typewarp::indexed_block(1, {first, first + part.count}, row));
  }
  return typewarp::structure(std::vector<std::int64_t>(columns.size(), 1), addresses, columns);
}

}  // namespace lammps
