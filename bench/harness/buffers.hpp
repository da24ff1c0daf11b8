// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device.hpp"

#include <string>

/// The memory that messages go from and to.
namespace typewarp::harness {

/// Where both ranks send from, and where both receive.
struct Pair {
  Place from, to;
};
const char* name(Place place);
std::string name(Pair pair);

/// Aligned to a page, in device memory as cudaMalloc aligns.
std::shared_ptr<std::byte> allocate(Place place, std::int64_t bytes);

/// A send and a receive buffer in each kind of memory, aligned to pages. Sized once: a protocol may keep
/// mappings of them.
class Buffers {
 public:
  /// Bytes that the layout at offset 0 takes, with whole lines of 256 around it.
  static std::int64_t needed(const Layout& layout);
  void allocate(Place place, std::int64_t bytes);

  std::byte* from(Pair pair) const { return (pair.from == Place::host ? host_ : device_).from.get(); }
  std::byte* to(Pair pair) const { return (pair.to == Place::host ? host_ : device_).to.get(); }

 private:
  struct Both {
    std::shared_ptr<std::byte> from, to;
  };
  Both host_, device_;
};

}  // namespace typewarp::harness
