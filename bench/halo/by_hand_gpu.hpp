// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "by_mpi.hpp"

/// What one writes with CUDA around an MPI that knows nothing of GPUs. In a build without CUDA nothing of
/// this may be called.
namespace typewarp::halo_bench {

/// A kernel for each field and direction, written for such spans.
MoverOf kernels(const Subject& subject);
/// cudaMemcpy3DAsync for each, within the device.
MoverOf memcpy3d(const Subject& subject);

/// Packed memory is sent from where it lies, by an MPI that takes memory of GPUs.
std::shared_ptr<Wire> messages_on_device(const Subject& subject);
/// Packed memory is copied to the host, sent, and copied back.
std::shared_ptr<Wire> staged(const Subject& subject);
/// It is copied into the other rank's, part by part, by cudaMemcpyAsync. CUDA IPC has mapped that before.
std::shared_ptr<Wire> peer_copies(const Subject& subject);

/// Whole arrays are copied to the host, exchanged by the MPI's datatypes, and copied back.
Way by_datatype_on_copies(const Subject& subject);

}  // namespace typewarp::halo_bench
