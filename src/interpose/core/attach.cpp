// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/core.hpp"
#include "interpose/core/statistics.hpp"

namespace typewarp::interpose {

constinit Attachment attachment{};

}  // namespace typewarp::interpose

extern "C" [[gnu::visibility("default")]] int typewarp_mpi_attach(
    const typewarp::interpose::Attachment* given) noexcept {
  using namespace typewarp::interpose;
  if (given->table != table_hash) return 1;
  attachment = *given;
  if (statistics_wanted()) take_counted();
  take_lifecycle();
  take_datatypes();
  attachment.chosen = nullptr;
  return 0;
}
