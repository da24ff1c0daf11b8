// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/gpu/gpu_channel.hpp"
#include "transport/channel/ucx/ucx_api.hpp"

namespace typewarp::transport {

/// UCX, looked for at the first call: one that is loaded already, else that which TYPEWARP_UCX_LIBRARY names,
/// else the system's. Null where there is none, it is too old, or the variable is empty.
const ucx::UcxApi* ucx_library();
/// The library that TYPEWARP_UCX_LIBRARY names; null if it cannot be loaded, which is said on stderr.
void* load_ucx(const char* file) noexcept;
/// The same as ucx_library() if something else has loaded it, else null.
const ucx::UcxApi* loaded_ucx_library();
/// Whether this UCX was built for, and finds, memory of GPUs.
bool ucx_takes_device_memory(const ucx::UcxApi& api);

/// What the link must be able to take.
enum class UcxMemory { host, device };

/// UCX's messages between the ranks of `comm`, which learn each other's addresses; null if it cannot be had
/// in one of them. Collective. Throws MpiError.
std::unique_ptr<GpuChannel> make_ucx_link(const ucx::UcxApi& api, UcxMemory memory, MPI_Comm comm);

}  // namespace typewarp::transport
