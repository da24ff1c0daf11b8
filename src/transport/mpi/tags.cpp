// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/tags.hpp"

#include <typewarp/error.hpp>

#include <string>

namespace typewarp::transport {

Tag Tags::take() {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    const int value = free_.back();
    free_.pop_back();
    return {*this, value};
  }
  if (made_ > static_cast<std::size_t>(largest_ - first)) {
    throw Error("typewarp: all " + std::to_string(made_) +
                " tags of this MPI are in use by messages in flight");
  }
  // Room for all tags ever made, so that giving one back cannot fail.
  if (free_.capacity() == made_) free_.reserve(2 * made_ + 1);
  return {*this, first + static_cast<int>(made_++)};
}

std::size_t Tags::taken() const {
  const std::lock_guard lock(mutex_);
  return made_ - free_.size();
}

void Tags::give(int value) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(value);
}

}  // namespace typewarp::transport
