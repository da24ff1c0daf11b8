// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace typewarp::host {

/// What default_threads() found; 0 before. No static of a function, whose lock a forked child could inherit.
inline constinit std::atomic<int> chosen_threads{0};
int choose_default_threads();

/// How many threads an operation uses unless its caller says otherwise: TYPEWARP_HOST_THREADS, else as many
/// as the process may run on. Asked once, and cheap after that. Throws InvalidArgument if the variable is set
/// to anything but a whole number from 1 to 1024.
inline int default_threads() {
  const int threads = chosen_threads.load(std::memory_order_relaxed);
  return threads != 0 ? threads : choose_default_threads();
}

/// Runs `part(i)` for every i in [0, parts) on the calling thread and up to `threads` - 1 threads of a
/// process-wide pool, which starts with the first call that needs it and grows as asked. A caller that finds
/// the pool at work, or the system out of threads, goes ahead with what there is, if need be alone. In a
/// forked child, a new pool starts, even if other threads were at work at the fork. The pool's threads take
/// no signals but those of faults of their own. The first exception of a part is rethrown once no part runs
/// any more; the rest is skipped.
void run_parts(int threads, std::int64_t parts, const std::function<void(std::int64_t)>& part);

}  // namespace typewarp::host
