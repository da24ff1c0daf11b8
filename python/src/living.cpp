// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "living.hpp"

#include <algorithm>

namespace typewarp::python {
namespace {

/// In the order of their making. Never destroyed: at the end of the process there is no MPI any more.
std::vector<std::shared_ptr<Living>>& all() {
  static auto& objects = *new std::vector<std::shared_ptr<Living>>;
  return objects;
}

}  // namespace

void add_living(std::shared_ptr<Living> object) { all().push_back(std::move(object)); }

void remove_living(const Living* object) {
  const auto same = [&](const std::shared_ptr<Living>& other) { return other.get() == object; };
  if (const auto found = std::ranges::find_if(all(), same); found != all().end()) all().erase(found);
}

void end_living() {
  while (!all().empty()) {
    const std::shared_ptr<Living> last = all().back();
    last->close();
  }
}

void keep_living() {
  if (!all().empty()) nanobind::set_leak_warnings(false);
}

}  // namespace typewarp::python
