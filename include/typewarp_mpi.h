// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All of the interface of C, for the library of one MPI.

#include <typewarp.h>

#include <typewarp/collective.h>
#include <typewarp/halo.h>
#include <typewarp/mpi.h>
#include <typewarp/mpi_ranks.h>
#include <typewarp/p2p.h>
#include <typewarp/request.h>
#include <typewarp/session.h>
