// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "plan/encoding.hpp"
#include "plan/host_device.hpp"

namespace typewarp::plan {

/// Where byte `packed` of the stream lies in user memory, and how many bytes from there on are consecutive on
/// both sides.
struct Location {
  std::int64_t offset;
  std::int64_t run;
};

/// Entry `i` of a list of signed `width`-byte integers; `width` is 4 or 8.
template <typename Index>
TYPEWARP_HD std::int64_t entry(const std::byte* list, std::int32_t width, Index i) {
  return width == 4 ? reinterpret_cast<const std::int32_t*>(list)[i]
                    : reinterpret_cast<const std::int64_t*>(list)[i];
}

/// n / the divisor, which may be 1; n >= 0.
TYPEWARP_HD inline std::int64_t quotient(const Divider<std::uint64_t>& divider, std::int64_t n) {
  const auto dividend = static_cast<std::uint64_t>(n);
  return static_cast<std::int64_t>(divider.divisor == 1 ? dividend : divider.quotient(dividend));
}

/// The block that holds packed byte `packed`: the last i with prefix[i] <= packed and prefix[i + 1] > packed
/// (000, equation 1). `Index` holds twice the node's count.
template <typename Index>
TYPEWARP_HD Index find_block(const EncodedNode& node, const std::byte* lookaside, std::int64_t packed) {
  const std::byte* const prefix = lookaside + node.prefix;
  Index low = 0;
  auto high = static_cast<Index>(node.count);
  if (node.index.shift > 0) {
    const std::byte* const index = lookaside + node.index.entries;
    const auto coarse = static_cast<Index>(packed >> node.index.shift);
    low = static_cast<Index>(entry(index, node.width, coarse));
    high = static_cast<Index>(entry(index, node.width, coarse + 1)) + 1;
  }
  while (high - low > 1) {
    // A shift, since the halves of signed sums are rounded towards zero by one instruction more.
    const Index middle = (low + high) >> 1;
    if (entry(prefix, node.width, middle) <= packed) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Algorithm 1 of 000: from the root down, each level adds its displacement and hands the rest to
/// its child. `count` items lie `extent` bytes apart; 0 <= packed < count * root size. Offsets are relative
/// to the first byte of the layout. Needs no state but registers and no other thread.
TYPEWARP_HD inline Location locate(const EncodingView& encoding, std::int64_t extent, std::int64_t packed) {
  const EncodedNode* node = encoding.nodes;
  std::int64_t item = quotient(node->by_size, packed);
  std::int64_t offset = item * extent;
  packed -= item * node->size;
  while (node->kind != Kind::run) {
    switch (node->kind) {
      case Kind::repeat: {
        const std::int64_t i = quotient(node->by_child_size, packed);
        offset += i * node->stride;
        packed -= i * node->child_size;
        ++node;
        break;
      }
      case Kind::blocks: {
        const std::int64_t i = quotient(node->by_child_size, packed);
        offset += entry(encoding.lookaside + node->displacements, node->width, i);
        packed -= i * node->child_size;
        ++node;
        break;
      }
      case Kind::varying: {
        const std::int64_t block = find_block<std::int64_t>(*node, encoding.lookaside, packed);
        const std::int64_t begin = entry(encoding.lookaside + node->prefix, node->width, block);
        offset += entry(encoding.lookaside + node->displacements, node->width, block);
        packed -= begin;
        if (node->stride == node->child_size && node[1].kind == Kind::run) {
          const std::int64_t end = entry(encoding.lookaside + node->prefix, node->width, block + 1);
          return {offset + packed, end - begin - packed};
        }
        const std::int64_t i = quotient(node->by_child_size, packed);
        offset += i * node->stride;
        packed -= i * node->child_size;
        ++node;
        break;
      }
      case Kind::sequence: {
        const std::int64_t member = find_block<std::int64_t>(*node, encoding.lookaside, packed);
        packed -= entry(encoding.lookaside + node->prefix, node->width, member);
        offset += entry(encoding.lookaside + node->displacements, node->width, member);
        node = encoding.nodes +
               reinterpret_cast<const std::int32_t*>(encoding.lookaside + node->members)[member];
        break;
      }
      case Kind::run:
        break;
    }
  }
  return {offset + packed, node->size - packed};
}

}  // namespace typewarp::plan
