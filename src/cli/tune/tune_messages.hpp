// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/common/words.hpp"
#include "cli/launch/mpis.hpp"

namespace typewarp::cli {

/// typewarp_tune_<mpi> for an MPI of that ABI, in the folder of this program; empty where there is none.
std::string message_tuner(const std::string& abi);

/// The command that measures messages with one of the MPIs on the PATH, as a shell reads it; empty where
/// there is no tuner for any of them.
std::string messages_line();

/// Runs the tuner of the launcher's MPI by `launcher`, and returns its exit status. It writes `output`, or
/// the file where sessions look where that is empty; nothing with `dry_run`. Throws UsageError.
int tune_messages(const Words& launcher, const std::string& output, bool dry_run);

}  // namespace typewarp::cli
