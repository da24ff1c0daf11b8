// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/collectives/call.hpp"

/// Calls that send from where they receive. No MPI allows that, and some refuse it, each some calls and some
/// counts. They must have such a call as it is, before this rank has asked or sent anything: on copies, or by
/// messages of ours, nobody would notice.
namespace typewarp::interpose {

/// Whether the MPI refuses the call for its one buffer: it is asked by the same call of this rank alone, of a
/// few items. Looks first at what costs no call of the MPI.
bool is_refused_for_one_buffer(Call& call) noexcept;

}  // namespace typewarp::interpose
