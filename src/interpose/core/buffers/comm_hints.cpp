// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/comm_hints.hpp"

#include "interpose/core/buffers/comm_settings.hpp"

namespace typewarp::interpose {

Hints hints_of(MPI_Comm comm) noexcept {
  const std::shared_ptr<CommSettings> settings = CommSettings::find(comm);
  return settings ? settings->hints.load() : Hints();
}

void set_hints(MPI_Comm comm, const Hints& hints) { CommSettings::of(comm)->hints = hints; }

}  // namespace typewarp::interpose
