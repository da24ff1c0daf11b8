// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>

namespace typewarp::host {

/// Keeps the threads that start in a scope from taking signals, which are the application's. Those that a
/// thread raises by a fault of its own stay, so that their handlers see it.
class NoSignals {
 public:
  NoSignals() noexcept {
    sigset_t set;
    ::sigfillset(&set);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) ::sigdelset(&set, fault);
    ::pthread_sigmask(SIG_BLOCK, &set, &previous_);
  }
  NoSignals& operator=(NoSignals&&) = delete;
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

 private:
  sigset_t previous_;
};

}  // namespace typewarp::host
