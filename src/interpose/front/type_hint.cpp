// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/type_hint.hpp"

namespace typewarp::interpose {

constinit SetTypeHint* set_type_hint = nullptr;

}  // namespace typewarp::interpose

int typewarp_set_type_hint(void* datatype, const char* key, const char* value) noexcept {
  using typewarp::interpose::set_type_hint;
  return set_type_hint == nullptr ? 0 : set_type_hint(datatype, key, value);
}
