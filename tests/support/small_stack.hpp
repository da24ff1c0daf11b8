// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <stdexcept>

namespace typewarp::test {

/// Runs `work()` on a thread whose stack is as small as programs with many threads make it, and throws here
/// what it throws.
template <typename Work>
void on_small_stack(Work work) {
  constexpr std::size_t stack = std::size_t{256} << 10;
  struct Run {
    Work& work;
    std::exception_ptr thrown;
  } run{work, nullptr};
  const auto start = [](void* given) -> void* {
    auto& mine = *static_cast<Run*>(given);
    try {
      mine.work();
    } catch (...) {
      mine.thrown = std::current_exception();
    }
    return nullptr;
  };
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  const bool started = pthread_attr_setstacksize(&attributes, stack) == 0 &&
                       pthread_create(&thread, &attributes, start, &run) == 0;
  pthread_attr_destroy(&attributes);
  if (!started) throw std::runtime_error("no thread with a small stack");
  pthread_join(thread, nullptr);
  if (run.thrown) std::rethrow_exception(run.thrown);
}

}  // namespace typewarp::test
