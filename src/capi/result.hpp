// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>
#include <typewarp/result.h>

#include <string_view>
#include <type_traits>

/// Turns exceptions into results.
namespace typewarp::capi {

/// The result for the exception being handled. Keeps its text for tw_error_text(), with `call` in place of
/// the C++ function if an argument was wrong. To be called in a handler.
tw_result result_of_exception(const char* call) noexcept;

/// Runs `act`, the body of `call`, which may take the name of the call.
template <class Act>
tw_result guarded(const char* call, Act act) noexcept {
  try {
    if constexpr (std::is_invocable_v<Act, const char*>) {
      act(call);
    } else {
      act();
    }
    return TW_SUCCESS;
  } catch (...) {
    return result_of_exception(call);
  }
}

/// Throws InvalidArgument if `pointer` is null.
void require(const void* pointer, const char* call, std::string_view argument);

/// The same error under the name that the argument has in `call`.
InvalidArgument renamed(const InvalidArgument& error, const char* call, std::string_view argument);
/// What C++ calls "sends.size()" is "send_count" in C.
InvalidArgument with_counts(const InvalidArgument& error, const char* call);

}  // namespace typewarp::capi
