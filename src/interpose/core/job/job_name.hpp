// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace typewarp::interpose {

/// How many processes of the job the launcher has started on this host; 0 where it does not say.
int ranks_on_host() noexcept;

/// What all processes of this job on this host call it, after the process that started them: the nearest
/// ancestor that is not a rank itself. Empty for a process that no launcher has started. Throws
/// std::bad_alloc.
std::string job_name();

}  // namespace typewarp::interpose
