// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>

namespace typewarp::interpose {

/// A member of the job (calls/lifecycle.cpp), which those find that know its class alone.
template <class T>
class JobMember {
 public:
  template <class... Arguments>
  explicit JobMember(Arguments&&... arguments) : member_(std::forward<Arguments>(arguments)...) {
    current_.store(&member_, std::memory_order_release);
  }
  JobMember& operator=(JobMember&&) = delete;
  ~JobMember() { current_.store(nullptr, std::memory_order_release); }

  /// Null where no job is open: before MPI_Init and after MPI_Finalize.
  static T* current() noexcept { return current_.load(std::memory_order_acquire); }

 private:
  inline static constinit std::atomic<T*> current_ = nullptr;
  T member_;
};

}  // namespace typewarp::interpose
