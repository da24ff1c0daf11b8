// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>
#include <typewarp/result.h>

#include <string_view>

/// Exceptions end here, as results.
namespace typewarp::capi {

/// Of the exception that is being handled, whose text is kept for tw_error_text(), an argument's as one of
/// `call`. To be called in a handler.
tw_result result_of_exception(const char* call) noexcept;

/// Does `act` for `call`.
template <class Act>
tw_result guarded(const char* call, Act act) noexcept {
  try {
    act();
    return TW_SUCCESS;
  } catch (...) {
    return result_of_exception(call);
  }
}

/// Throws InvalidArgument if it is null.
void require(const void* pointer, const char* call, std::string_view argument);

/// The same of what `call` names `argument`.
InvalidArgument renamed(const InvalidArgument& error, const char* call, std::string_view argument);
/// What C++ calls "sends.size()" is "send_count" in C.
InvalidArgument with_counts(const InvalidArgument& error, const char* call);

}  // namespace typewarp::capi
