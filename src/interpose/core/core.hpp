// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/attachment.hpp"

/// A core: built once for each ABI of MPI, loaded by the front. Its own calls of MPI are of PMPI_X, or of
/// what comes after us (`next`), never of MPI_X, which would come back to it.
namespace typewarp::interpose {

/// What the front said. Constant after attaching, but for `chosen`, which is null from then on.
extern Attachment attachment;

/// The function of type F that comes after us for a call.
template <class F>
F* next(int number) noexcept {
  return reinterpret_cast<F*>(attachment.next[number]);
}

/// Lets the program's calls go to `function`. While attaching only.
template <class F>
void take(int number, F* function) noexcept {
  attachment.chosen[number] = reinterpret_cast<void*>(function);
}

void take_lifecycle() noexcept;
void take_datatypes() noexcept;
void take_counted() noexcept;  // generated

}  // namespace typewarp::interpose
