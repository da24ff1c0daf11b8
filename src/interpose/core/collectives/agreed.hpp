// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace typewarp::interpose {

/// In MPI_Init, collective over the ranks of the Session, if there is one: what each rank has found out for
/// itself and all must do alike becomes that of all. That is the most memory for partial results; the memory
/// in which ranks choose, if all have mapped it; and that the MPI takes GPU memory, if all say so.
void open_agreed() noexcept;

}  // namespace typewarp::interpose
