// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/core.hpp"
#include "interpose/core/observe/observed.hpp"

namespace typewarp::interpose {

constinit CoreAttachment attachment{};
constinit std::array<void*, calls> ours{};

}  // namespace typewarp::interpose

extern "C" [[gnu::visibility("default")]] int typewarp_mpi_attach(
    const typewarp::interpose::CoreAttachment* given) noexcept {
  using namespace typewarp::interpose;
  if (given->table != table_hash) return 1;
  attachment = *given;
  if (observing().sites) {
    watch_lifecycle();
    observe_calls();
    attachment.chosen = nullptr;
    return 0;
  }
  take_lifecycle();
  take_packing();
  take_messages();
  take_requests();
  take_completion();
  take_partitioned();
  take_probing();
  take_comm_infos();
  take_collectives();
  take_filed();
  take_files();
  take_one_sided();
  take_synchronisation();
  take_windows();
  take_refused();
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] != nullptr) attachment.chosen[i] = ours[i];
  }
  if (observing().any()) observe_calls();
  attachment.chosen = nullptr;
  return 0;
}
