// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/conformance.hpp"

#include <algorithm>
#include <vector>

namespace typewarp::test {

/// Pageable host memory.
class HostMemory final : public Memory {
 public:
  explicit HostMemory(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {}

  std::byte* data() override { return bytes_.data(); }
  void write(std::span<const std::byte> bytes) override { std::copy(bytes.begin(), bytes.end(), data()); }
  void read(std::span<std::byte> bytes) override { std::copy_n(data(), bytes.size(), bytes.begin()); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace typewarp::test
