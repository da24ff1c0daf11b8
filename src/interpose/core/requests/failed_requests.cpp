// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/requests/failed_requests.hpp"

#include "datatype/of_thread.hpp"
#include "interpose/core/errors.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::interpose::failed_requests {
namespace {

struct Failed {
  MPI_Request handle;
  MPI_Comm comm;
  std::exception_ptr error;
};
using AllFailed = OfThread<std::vector<Failed>>;

}  // namespace

void add(MPI_Request handle, MPI_Comm comm, const std::exception_ptr& error) {
  AllFailed::get().push_back({handle, comm, error});
}

int take(MPI_Request handle) noexcept {
  std::vector<Failed>* const failed = AllFailed::found();
  if (failed == nullptr) return MPI_SUCCESS;
  const auto found = std::ranges::find(*failed, handle, &Failed::handle);
  if (found == failed->end()) return MPI_SUCCESS;
  const Failed taken = *found;
  failed->erase(found);
  return raise(taken.comm, taken.error);
}

void clear() noexcept {
  if (auto* const failed = AllFailed::found()) failed->clear();
}

}  // namespace typewarp::interpose::failed_requests
