// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All of the interface of C that needs no MPI; typewarp_mpi.h has the rest. docs/guide/c.md is its guide.

#include <typewarp/batch.h>
#include <typewarp/datatype.h>
#include <typewarp/device_group.h>
#include <typewarp/engine.h>
#include <typewarp/exchange.h>
#include <typewarp/explain.h>
#include <typewarp/indexed_copy.h>
#include <typewarp/persistent.h>
#include <typewarp/plan.h>
#include <typewarp/ranks.h>
#include <typewarp/reduce.h>
#include <typewarp/registered_memory.h>
#include <typewarp/result.h>
#include <typewarp/stream.h>
#include <typewarp/version.h>
