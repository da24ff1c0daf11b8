// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

namespace typewarp::test {

/// How a message ended where one end fails: there by the error that made it, at the other by being told.
enum class Outcome { fine, failed, peer_failed };

template <typename Failure, typename Call>
Outcome outcome(Call call) {
  try {
    call();
  } catch (const Failure&) {
    return Outcome::failed;
  } catch (const Error&) {
    return Outcome::peer_failed;
  }
  return Outcome::fine;
}

}  // namespace typewarp::test
