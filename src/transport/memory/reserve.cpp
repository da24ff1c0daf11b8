// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory/reserve.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>

namespace typewarp::transport {
namespace {

// Enough for messages of some thousand ranks. Untouched pages cost nothing.
constexpr std::size_t bytes = std::size_t{1} << 20;
constinit std::atomic<void*> put_aside = nullptr;

}  // namespace

void Reserve::fill() noexcept {
  if (put_aside.load() != nullptr) return;
  void* const memory = std::malloc(bytes);
  void* none = nullptr;
  if (!put_aside.compare_exchange_strong(none, memory)) std::free(memory);
}

Reserve::Reserve() noexcept { std::free(put_aside.exchange(nullptr)); }

}  // namespace typewarp::transport
