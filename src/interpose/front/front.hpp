// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/calls.hpp"
#include "interpose/front/library.hpp"

#include <array>

namespace typewarp::interpose {

/// What is known after the first call: filled by resolve() before any call is handed on, constant from then
/// on.
struct Resolved {
  MpiLibrary mpi;
  std::array<void*, calls> next{};  ///< for each call, what comes after us; never null
};
extern Resolved resolved;

/// Lets the core that is built for this ABI, in the folder of this library, choose what calls go to. Returns
/// false, and leaves `chosen` as it is, where there is no such core or it refuses.
bool attach_core(std::array<void*, calls>& chosen) noexcept;

}  // namespace typewarp::interpose
