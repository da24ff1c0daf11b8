// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/nccl/nccl_api.hpp"

#include <string>

namespace typewarp::interpose::nccl {

/// A library of NCCL that suits, and its version.
struct Library {
  Api api;
  int version;  ///< as NCCL counts: nccl::version(2, 28) and its patch
};

/// NCCL, looked for at the first call: one that is loaded already, else that which TYPEWARP_NCCL names, else
/// the system's, else that of a Python package (nvidia-nccl) in the folder of packages that has this library,
/// unless other users can change it. Null where there is none that suits.
const Library* library();
/// Why there is none.
const std::string& why_no_library();

}  // namespace typewarp::interpose::nccl
