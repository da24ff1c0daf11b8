// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <string>

namespace typewarp::test {

/// The argument that the InvalidArgument of a call names.
template <typename Call>
std::string argument_of(Call call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.argument();
  }
  return "no InvalidArgument";
}

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
