// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/refusal.hpp"
#include "interpose/core/collectives/sides.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/requests/continuation.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/windows/pending.hpp"

#include <typewarp/mpi.hpp>

#include <initializer_list>
#include <memory>

/// One-sided calls: the MPI is given copies of what is ours at this rank, which last until the call is
/// complete here. What lies in the window is the MPI's business.
namespace typewarp::interpose {

/// Whose the call is that uses these.
Whose whose(std::initializer_list<LocalMemory> memories) noexcept;

/// Makes one call. `hand_on(given, request...)` makes the MPI's.
template <class HandOn, class... Request>
int one_sided(int number, MPI_Win window, int target, std::initializer_list<LocalMemory> memories,
              HandOn hand_on, Request... request) noexcept {
  const Whose of = target == MPI_PROC_NULL ? Whose::the_mpis : whose(memories);
  if (of == Whose::refused) return refuse_in_window(number, window);
  if (of == Whose::the_mpis) return hand_on(as_they_are(memories), request...);
  return guarded_in_window(window, [&] {
    const auto copies = std::make_shared<LocalCopies>(memories);
    const char* const name = names[static_cast<std::size_t>(number)];
    pending().keep(window, target, copies, sizeof...(Request) != 0);
    if constexpr (sizeof...(Request) == 0) {
      mpi::check(hand_on(copies->given()), name);
      copies->begin();
    } else {
      MPI_Request made = MPI_REQUEST_NULL;
      mpi::check(hand_on(copies->given(), &made), name);
      copies->begin();
      const auto act = [copies](const Status&, Moves&) { copies->finish(); };
      ((*request = operations().add(own_comm(), one(continued(made, own_comm(), act)))), ...);
    }
  });
}

}  // namespace typewarp::interpose
