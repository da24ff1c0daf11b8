// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace typewarp::interpose {

/// The frames of this thread from the one that `caller` returns to, as a line each: the file of the module, a
/// blank, and the offset of the return address in it, in hexadecimal digits, which is what addr2line reads.
/// Where the stack cannot be walked it is that one frame. Takes some 50 us. Throws std::bad_alloc.
std::string call_stack(const void* caller);

}  // namespace typewarp::interpose
