// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/reduce.h>

#include "capi/arguments.hpp"

#include <typewarp/reduce.hpp>

// NOLINTBEGIN(google-build-using-namespace): this file gives it other names
using namespace typewarp;
using namespace typewarp::capi;
// NOLINTEND(google-build-using-namespace)

static_assert(is(Operation::sum, TW_SUM) && is(Operation::max, TW_MAX) && is(Operation::band, TW_BAND) &&
              is(Operation::lxor, TW_LXOR) && is(Operation::maxloc, TW_MAXLOC));

int tw_reducible(int type, int operation) {
  const bool named = type >= TW_CHAR && type <= TW_2INTEGER && operation >= TW_SUM && operation <= TW_MAXLOC;
  return named && reducible(static_cast<Named>(type), static_cast<Operation>(operation)) ? 1 : 0;
}

tw_result tw_reduce_local(const void* in, void* inout, int64_t count, int type, int operation,
                          tw_stream stream) {
  constexpr const char* call = "tw_reduce_local";
  return guarded(call, [&] {
    reduce_local(in, inout, count, named_of(call, "type", type),
                 choice(call, "operation", operation, Operation::maxloc), Stream(stream));
  });
}
