// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/staged.hpp"

namespace hacc {

/// Of a block that is packed already, and stays so: sends, writes and reads those bytes.
class Packed final : public Staged {
 public:
  /// Room for a block that comes from elsewhere.
  using Staged::Staged;
  /// The block as `packer` packs it.
  Packed(const Block& block, Carrier& packer) : Staged(block) { packer.pack(staging()); }

  void pack(std::byte*) override {}
  void unpack(const std::byte*) override {}
};

}  // namespace hacc
