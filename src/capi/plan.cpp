// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/plan.h>

#include "capi/arguments.hpp"

using namespace typewarp::capi;

tw_result tw_plan_commit(const tw_datatype* datatype, tw_plan** plan) {
  return create(__func__, plan, [&](const char* call) { return typewarp::commit(value_of(call, datatype)); });
}

void tw_plan_free(tw_plan* plan) { delete plan; }

tw_result tw_plan_with_hint(const tw_plan* plan, const char* key, const char* value, tw_plan** hinted) {
  return guarded(__func__, [&](const char* call) {
    require(hinted, call, "hinted");
    const typewarp::Plan& made = value_of(call, plan);
    require(key, call, "key");
    require(value, call, "value");
    typewarp::Hints hints = made.hints();
    try {
      hints.set(key, value);
    } catch (const typewarp::InvalidArgument& error) {
      if (error.argument() == "key") throw;
      throw renamed(error, call, "value");  // the key is known, so the value is wrong
    }
    *hinted = new tw_plan{made.with(hints)};
  });
}

tw_result tw_plan_hints(const tw_plan* plan, char* text, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&](const char* call) {
    store(call, value_of(call, plan).hints().to_string(), text, capacity, length);
  });
}

tw_result tw_plan_get(const tw_plan* plan, int64_t* size, int64_t* extent) {
  return on(__func__, plan, [&](const typewarp::Plan& made) {
    store(made.size(), size);
    store(made.extent(), extent);
  });
}

tw_result tw_plan_to_string(const tw_plan* plan, char* text, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&](const char* call) {
    store(call, value_of(call, plan).layout().to_string(), text, capacity, length);
  });
}
