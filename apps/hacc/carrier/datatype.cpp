// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/datatype.hpp"

#include <cstddef>
#include <vector>

namespace hacc {

typewarp::Datatype datatype_of(const Block& block) {
  const auto address = [&](std::size_t member) {
    return reinterpret_cast<std::int64_t>(block.members()[member].data);
  };
  std::vector<std::int64_t> counts{7, 6};
  std::vector<std::int64_t> addresses{address(0),
                                      address(0) + static_cast<std::int64_t>(offsetof(Header, mins))};
  std::vector<typewarp::Datatype> elements{typewarp::Named::int_, typewarp::Named::float_};
  for (std::size_t i = 0; i < arrays; ++i) {
    counts.push_back(lengths(block.header())[i]);
    addresses.push_back(address(1 + i));
    elements.emplace_back(element(static_cast<Array>(i)));
  }
  return typewarp::structure(counts, addresses, elements);
}

}  // namespace hacc
