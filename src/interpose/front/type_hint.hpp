// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/attachment.hpp"

extern "C" {
/// For programs, which find it by dlsym: int typewarp_set_type_hint(MPI_Datatype, const char* key, const
/// char* value). Gives a derived datatype that is committed one hint, which goes before that of a
/// communicator, window or file. Duplicates have it too, datatypes made of it have not. No other thread may
/// use the datatype meanwhile. Returns MPI_SUCCESS, also where nobody heeds hints; or the code of an error,
/// of which the error handler of MPI_COMM_SELF is told first.
[[gnu::visibility("default")]] int typewarp_set_type_hint(void* datatype, const char* key,
                                                          const char* value) noexcept;
}

namespace typewarp::interpose {

/// The core's, null before there is one.
extern SetTypeHint* set_type_hint;

}  // namespace typewarp::interpose
