// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>
#include <typewarp/result.h>

/// Exceptions end here, as results.
namespace typewarp::capi {

/// Of the exception that is being handled, whose text is kept for tw_error_text(). To be called in a handler.
tw_result result_of_exception() noexcept;

/// Does `act`.
template <class Act>
tw_result guarded(Act act) noexcept {
  try {
    act();
    return TW_SUCCESS;
  } catch (...) {
    return result_of_exception();
  }
}

/// Throws InvalidArgument if it is null.
void require(const void* pointer, const char* call, const char* argument);

}  // namespace typewarp::capi
