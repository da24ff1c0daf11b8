// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/member_table.hpp"
#include "hacc/carrier/staged.hpp"

namespace hacc {

/// By a loop, or by one kernel, that knows the members of this very struct.
class ByHand final : public Staged {
 public:
  ByHand(const Block& block, const apps::OwnedStream& stream);

  void pack(std::byte* packed) override;
  void unpack(const std::byte* packed) override;

 private:
  MemberTable table_;
  const apps::OwnedStream& stream_;
};

}  // namespace hacc
