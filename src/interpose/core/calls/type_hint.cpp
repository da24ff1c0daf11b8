// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"

#include <cstdint>
#include <type_traits>

namespace typewarp::interpose {
namespace {

/// Of some MPIs handles are numbers, in the lower half of a register.
template <class Handle>
Handle handle_in(void* word) noexcept {
  if constexpr (std::is_pointer_v<Handle>) {
    return static_cast<Handle>(word);
  } else {
    return static_cast<Handle>(reinterpret_cast<std::uintptr_t>(word));
  }
}

int hint(void* datatype, const char* key, const char* value) noexcept {
  return guarded(fallback_comm(), [&] { set_type_hint(handle_in<MPI_Datatype>(datatype), key, value); });
}

}  // namespace

void take_type_hints() noexcept { *attachment.set_type_hint = hint; }

}  // namespace typewarp::interpose
