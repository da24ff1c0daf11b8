// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "work.hpp"

namespace typewarp::contention {

std::string_view name(Work work) noexcept {
  switch (work) {
    case Work::add:
      return "add";
    case Work::stencil:
      return "stencil";
    case Work::arithmetic:
      return "arithmetic";
    case Work::resident:
      return "resident";
    case Work::to_host:
      return "to_host";
    case Work::to_device:
      return "to_device";
    case Work::both_ways:
      return "both_ways";
  }
  return "";
}

bool is_kernel(Work work) noexcept { return work <= Work::resident; }

Demand demand(Work work, std::int64_t units) {
  const auto blocks = static_cast<double>(units);
  const double copied = blocks * page;
  switch (work) {
    case Work::add:
      return {blocks * threads * 3 * sizeof(double)};
    case Work::stencil:  // caches hold the planes around an element
      return {blocks * threads * 2 * sizeof(double)};
    case Work::arithmetic:
      return {blocks * threads * sizeof(float)};
    case Work::resident:
      return {};
    case Work::to_host:
      return {copied, copied, 0};
    case Work::to_device:
      return {copied, 0, copied};
    case Work::both_ways:
      return {2 * copied, copied, copied};
  }
  return {};
}

}  // namespace typewarp::contention
