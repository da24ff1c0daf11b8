// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "by_hand_gpu.hpp"

#include <typewarp/error.hpp>

namespace typewarp::halo_bench {
namespace {

[[noreturn]] void refuse() { throw Error("this program was built without CUDA"); }

}  // namespace

MoverOf kernels(const Subject&) { refuse(); }
MoverOf memcpy3d(const Subject&) { refuse(); }
std::shared_ptr<Wire> messages_on_device(const Subject&) { refuse(); }
std::shared_ptr<Wire> staged(const Subject&) { refuse(); }
std::shared_ptr<Wire> peer_copies(const Subject&) { refuse(); }
Way by_datatype_on_copies(const Subject&) { refuse(); }

}  // namespace typewarp::halo_bench
