// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/memory_kinds.hpp"
#include "support/user_buffer.hpp"

#include <memory>

namespace typewarp::test {

/// A user's buffer in memory of some kind: filled like, and compared with, a buffer in host memory.
class PlacedBuffer {
 public:
  PlacedBuffer(Source source, UserBuffer& image)
      : memory_(allocate(source, static_cast<std::int64_t>(image.bytes().size()))),
        origin_offset_(reinterpret_cast<std::intptr_t>(image.origin()) -
                       reinterpret_cast<std::intptr_t>(image.bytes().data())) {
    memory_->write(image.bytes());
  }

  void* origin() {
    return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(memory_->data()) + origin_offset_);
  }
  std::byte* data() { return memory_->data(); }
  Bytes bytes(std::size_t count) {
    Bytes read(count);
    memory_->read(read);
    return read;
  }

 private:
  std::unique_ptr<Memory> memory_;
  std::intptr_t origin_offset_;
};

}  // namespace typewarp::test
