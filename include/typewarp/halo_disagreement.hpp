// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

namespace typewarp::halo {

/// Processes describe an exchange differently. All of them throw it.
class Disagreement : public Error {
 public:
  using Error::Error;
};

}  // namespace typewarp::halo
