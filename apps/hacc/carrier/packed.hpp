// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/staged.hpp"

namespace hacc {

/// Of a block that is packed already: sends, writes and reads as many bytes, whatever they are.
class Packed final : public Staged {
 public:
  using Staged::Staged;
  void pack(std::byte*) override {}
  void unpack(const std::byte*) override {}
};

}  // namespace hacc
