// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/request.hpp>

namespace typewarp {

std::int64_t Status::count(const Plan& plan) const {
  if (bytes == 0) return 0;
  if (plan.size() == 0 || bytes % plan.size() != 0) return MPI_UNDEFINED;
  return bytes / plan.size();
}

std::int64_t Status::elements(const Plan& plan) const {
  if (bytes == 0) return 0;
  if (plan.size() == 0) return MPI_UNDEFINED;
  const std::int64_t whole = plan.datatype().elements_in(bytes);
  return whole < 0 ? std::int64_t{MPI_UNDEFINED} : whole;
}

}  // namespace typewarp
