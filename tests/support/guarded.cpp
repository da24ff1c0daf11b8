// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/guarded.hpp"

#include "support/random.hpp"
#include "support/user_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace typewarp::test {

namespace {
constexpr std::int64_t guard = 32;
}  // namespace

Guarded::Guarded(Backend& backend, Allocate allocate, std::int64_t low, std::int64_t high, std::uint64_t seed)
    : low_(low) {
  Random random(seed);
  before_ = guard + random.range(0, 16);
  pattern_ = pattern(before_ + (high - low) + guard, random.next());
  found_.resize(pattern_.size());
  memory_ = (backend.*allocate)(static_cast<std::int64_t>(pattern_.size()));
}

std::byte* Guarded::origin() {
  // Through an integer: displacement 0 need not lie inside the memory.
  const auto address = reinterpret_cast<std::intptr_t>(memory_->data()) + before_ - low_;
  return reinterpret_cast<std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}

void Guarded::reset() {
  expected_ = pattern_;
  memory_->write(pattern_);
}

std::optional<std::string> Guarded::difference() {
  memory_->read(found_);
  // At most ranges nothing differs: to see that is most of what a suite does, and this is the fastest way.
  if (std::memcmp(found_.data(), expected_.data(), found_.size()) == 0) return std::nullopt;
  const auto [found, expected] = std::mismatch(found_.begin(), found_.end(), expected_.begin());
  std::ostringstream text;
  text << "the byte at displacement " << (found - found_.begin()) - before_ + low_ << " is "
       << std::to_integer<int>(*found) << ", must be " << std::to_integer<int>(*expected);
  return text.str();
}

}  // namespace typewarp::test
