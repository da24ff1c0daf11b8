// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "capi/arguments.hpp"

#include <typewarp/request.h>
#include <typewarp/request.hpp>

struct tw_request {
  static constexpr const char* name = "request";
  typewarp::Request value;
};

namespace typewarp::capi {

/// Stores the status, unless `place` is null.
void store(const Status& status, tw_status* place);

}  // namespace typewarp::capi
