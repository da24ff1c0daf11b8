// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/cuda.hpp"

#include <string_view>

namespace typewarp::cuda {
namespace {

[[noreturn]] void refuse(std::string_view call) {
  constexpr int no_device = 100;  // cudaErrorNoDevice
  throw CudaError(call, no_device, "this library was built without CUDA");
}

}  // namespace

bool built() noexcept { return false; }

bool present() noexcept { return false; }

PointerInfo pointer_info(const void*) { return {}; }

int stream_device(Stream) { return -1; }

bool capturing(Stream) { return false; }

bool can_reach(int, int) { return false; }

bool peers_may_touch(const void*) { return false; }

Stream private_stream(int) { refuse("typewarp::cuda::private_stream"); }

void copy(const Side&, const Side&, ByteRange, int, Stream) { refuse("typewarp::cuda::copy"); }

PinnedBuffer::PinnedBuffer(std::int64_t) { refuse("typewarp::cuda::PinnedBuffer"); }

PinnedBuffer::~PinnedBuffer() = default;

Event::Event(int, Stream) { refuse("typewarp::cuda::Event"); }

Event::~Event() = default;

bool Event::done() const { refuse("typewarp::cuda::Event::done"); }

void Event::wait() const { refuse("typewarp::cuda::Event::wait"); }

}  // namespace typewarp::cuda
