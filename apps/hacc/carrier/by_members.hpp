// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/staged.hpp"

namespace hacc {

/// As the column "CUDA DMA" of 003, table 4: a cudaMemcpy, or memcpy, for each member.
class ByMembers final : public Staged {
 public:
  ByMembers(const Block& block, const apps::OwnedStream& stream)
      : Staged(block), block_(block), stream_(stream) {}

  void pack(std::byte* packed) override;
  void unpack(const std::byte* packed) override;

 private:
  const Block& block_;
  const apps::OwnedStream& stream_;
};

}  // namespace hacc
