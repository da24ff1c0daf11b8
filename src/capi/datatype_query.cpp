// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/datatype.h>

#include "capi/arguments.hpp"

using namespace typewarp::capi;  // NOLINT(google-build-using-namespace): this file gives it other names

tw_result tw_datatype_get_size(const tw_datatype* datatype, int64_t* size, int64_t* elements) {
  constexpr const char* call = "tw_datatype_get_size";
  return guarded(call, [&] {
    const typewarp::Datatype& made = datatype_of(call, "datatype", datatype);
    store(made.size(), size);
    store(made.elements(), elements);
  });
}

tw_result tw_datatype_get_extent(const tw_datatype* datatype, int64_t* lb, int64_t* extent) {
  constexpr const char* call = "tw_datatype_get_extent";
  return guarded(call, [&] {
    const typewarp::Datatype& made = datatype_of(call, "datatype", datatype);
    store(made.lb(), lb);
    store(made.extent(), extent);
  });
}

tw_result tw_datatype_get_true_extent(const tw_datatype* datatype, int64_t* true_lb, int64_t* true_extent) {
  constexpr const char* call = "tw_datatype_get_true_extent";
  return guarded(call, [&] {
    const typewarp::Datatype& made = datatype_of(call, "datatype", datatype);
    store(made.true_lb(), true_lb);
    store(made.true_extent(), true_extent);
  });
}

tw_result tw_datatype_elements_in(const tw_datatype* datatype, int64_t bytes, int64_t* elements) {
  constexpr const char* call = "tw_datatype_elements_in";
  return guarded(call, [&] {
    const typewarp::Datatype& made = datatype_of(call, "datatype", datatype);
    require(elements, call, "elements");
    if (bytes < 0) throw typewarp::InvalidArgument(call, "bytes", bytes, "must not be negative");
    *elements = made.elements_in(bytes);
  });
}

tw_result tw_datatype_is_contiguous(const tw_datatype* datatype, int* contiguous) {
  constexpr const char* call = "tw_datatype_is_contiguous";
  return guarded(call, [&] {
    const typewarp::Datatype& made = datatype_of(call, "datatype", datatype);
    require(contiguous, call, "contiguous");
    *contiguous = made.contiguous() ? 1 : 0;
  });
}

tw_result tw_datatype_same_signature(const tw_datatype* one, const tw_datatype* other, int* same) {
  constexpr const char* call = "tw_datatype_same_signature";
  return guarded(call, [&] {
    const typewarp::Signature first = datatype_of(call, "one", one).signature();
    const typewarp::Signature second = datatype_of(call, "other", other).signature();
    require(same, call, "same");
    *same = first == second ? 1 : 0;
  });
}

tw_result tw_datatype_to_string(const tw_datatype* datatype, char* text, int64_t capacity, int64_t* length) {
  constexpr const char* call = "tw_datatype_to_string";
  return guarded(call, [&] {
    store(call, datatype_of(call, "datatype", datatype).to_string(), text, capacity, length);
  });
}
