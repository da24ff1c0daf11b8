// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

namespace typewarp::halo {

/// Some process has not described what its neighbour expects. Thrown by all.
class Disagreement : public Error {
 public:
  using Error::Error;
};

}  // namespace typewarp::halo
