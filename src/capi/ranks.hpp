// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/ranks.h>
#include <typewarp/ranks.hpp>

struct tw_ranks {
  typewarp::Ranks ranks;
};
