// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

namespace typewarp::test {

/// How a message ended where a device fails at one end: there by CUDA's error, at the other by being told.
enum class Outcome { fine, cuda_error, peer_failed };

template <typename Call>
Outcome outcome(Call call) {
  try {
    call();
  } catch (const GpuError&) {
    return Outcome::cuda_error;
  } catch (const Error&) {
    return Outcome::peer_failed;
  }
  return Outcome::fine;
}

}  // namespace typewarp::test
