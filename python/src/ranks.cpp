// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/ranks.hpp>

#include "bindings.hpp"

#include <cstring>
#include <memory>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

/// Kept, called and let go by whatever thread.
std::shared_ptr<nb::object> shared(nb::object function) {
  const auto let_go = [](const nb::object* kept) {
    const nb::gil_scoped_acquire acquire;
    delete kept;
  };
  return {new nb::object(std::move(function)), let_go};
}

std::vector<std::byte> bytes_of(nb::handle given) {
  const auto bytes = nb::cast<nb::bytes>(given);
  std::vector<std::byte> result(bytes.size());
  if (!result.empty()) std::memcpy(result.data(), bytes.c_str(), result.size());
  return result;
}

}  // namespace

Ranks gathering_ranks(nb::handle ranks) {
  const auto gather = shared(ranks.attr("gather"));
  return {nb::cast<int>(ranks.attr("rank")), nb::cast<int>(ranks.attr("size")),
          [gather](std::span<const std::byte> own) {
            const nb::gil_scoped_acquire acquire;
            std::vector<std::vector<std::byte>> all;
            for (nb::handle one : (*gather)(nb::bytes(own.data(), own.size()))) all.push_back(bytes_of(one));
            return all;
          }};
}

}  // namespace typewarp::python
