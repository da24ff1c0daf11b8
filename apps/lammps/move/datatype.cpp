// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "lammps/move/datatype.hpp"

namespace lammps {

typewarp::Datatype datatype_of(const Part& part) {
  std::vector<std::int64_t> addresses;
  std::vector<typewarp::Datatype> columns;
  for (const Column& column : part.columns) {
    const typewarp::Datatype row = typewarp::contiguous(column.words, typewarp::Named::int64);
    addresses.push_back(reinterpret_cast<std::int64_t>(column.row(part.first)));
    columns.push_back(
        part.list == nullptr
            ? typewarp::contiguous(part.count, row)
            : typewarp::indexed_block(1, {part.list->values().begin(), part.list->values().end()}, row));
  }
  return typewarp::structure(std::vector<std::int64_t>(columns.size(), 1), addresses, columns);
}

}  // namespace lammps
