// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

/// What MPI_THREAD_MULTIPLE takes from a program that asks for less.
namespace typewarp::interpose {

/// Before MPI_Init: whether the program may make windows that this MPI refuses at that level. Open MPI before
/// 5 does where its component osc/pt2pt alone could make them: without an adapter of UCX, on several hosts,
/// on one where a process may not read another's memory, and on MPI_COMM_SELF. A program that names no call
/// that makes windows makes none.
bool level_forbids_windows() noexcept;

/// Whether a parameter that lists components, or with ^ before them those that are not wanted, allows one.
bool allows_component(std::string_view list, std::string_view component) noexcept;

}  // namespace typewarp::interpose
