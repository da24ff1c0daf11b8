// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device.hpp"

#include <typewarp/error.hpp>

namespace typewarp::harness::device {
namespace {

[[noreturn]] void refuse() { throw Error("this program was built without CUDA"); }

}  // namespace

int count() { return 0; }
void use(int) { refuse(); }
std::shared_ptr<std::byte> allocate(std::int64_t) { refuse(); }
std::shared_ptr<std::byte> allocate_pinned(std::int64_t) { refuse(); }
std::shared_ptr<CUstream_st> make_stream() { refuse(); }
void wait(CUstream_st*) { refuse(); }
Recording::Recording(const std::function<void(CUstream_st*)>&) { refuse(); }
void Recording::run() { refuse(); }
std::unique_ptr<Checks> checks(const Layout&, const Layout&) { refuse(); }
Rates rates() { refuse(); }
Copy::Copy(int from, int to, std::int64_t bytes) : from_(from), to_(to), bytes_(bytes) { refuse(); }
void Copy::run() { refuse(); }

}  // namespace typewarp::harness::device
