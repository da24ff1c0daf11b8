// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/indexed_copy.h>

#include "capi/arguments.hpp"

#include <typewarp/indexed_copy.hpp>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_indexed_copy {
  static constexpr const char* name = "indexed_copy";
  IndexedCopy value;
};

namespace {

std::vector<ItemArray> arrays_of(const char* call, int64_t count, const tw_item_array* arrays,
                                 const char* argument) {
  return each_of(call, "count", count, arrays, argument, [&](const tw_item_array& array, std::size_t i) {
    return ItemArray{array.buffer, array.count, array.stride, plan_of(call, argument, i, array.plan)};
  });
}

IndexList list_of(const tw_index_list& list) {
  IndexList result;
  result.values = list.values;
  if (list.values != nullptr) result.bytes = list.bytes;
  return result;
}

}  // namespace

tw_result tw_indexed_copy_create(int64_t count, const tw_item_array* source, const tw_item_array* destination,
                                 tw_indexed_copy** indexed_copy) {
  return create(__func__, indexed_copy, [&](const char* call) {
    return IndexedCopy(arrays_of(call, count, source, "source"),
                       arrays_of(call, count, destination, "destination"));
  });
}

tw_result tw_indexed_copy_start(tw_indexed_copy* indexed_copy, tw_index_list from, tw_index_list to,
                                int64_t count, tw_stream stream) {
  return on(__func__, indexed_copy, &IndexedCopy::copy, list_of(from), list_of(to), count, Stream(stream));
}

tw_result tw_indexed_copy_check(tw_indexed_copy* indexed_copy) {
  return on(__func__, indexed_copy, &IndexedCopy::check);
}

void tw_indexed_copy_free(tw_indexed_copy* indexed_copy) { delete indexed_copy; }
