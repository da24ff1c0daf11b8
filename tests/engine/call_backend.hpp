// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "support/host_memory.hpp"

#include <functional>
#include <utility>

namespace typewarp::test {

/// A backend of three calls, which are given what Backend's functions are. Memory is pageable unless
/// something else allocates it.
class CallBackend final : public Backend {
 public:
  using Pack = std::function<void(const void*, std::int64_t, const Plan&, void*, ByteRange)>;
  using Unpack = std::function<void(const void*, void*, std::int64_t, const Plan&, ByteRange)>;
  using Copy = std::function<void(const void*, std::int64_t, const Plan&, void*, std::int64_t, const Plan&,
                                  ByteRange)>;
  using Allocate = std::function<std::unique_ptr<Memory>(std::int64_t bytes)>;

  CallBackend(Pack pack, Unpack unpack, Copy copy, Allocate user = pageable, Allocate packed = pageable)
      : pack_(std::move(pack)),
        unpack_(std::move(unpack)),
        copy_(std::move(copy)),
        user_(std::move(user)),
        packed_(std::move(packed)) {}

  std::unique_ptr<Memory> user_memory(std::int64_t bytes) override { return user_(bytes); }
  std::unique_ptr<Memory> packed_memory(std::int64_t bytes) override { return packed_(bytes); }
  void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed,
            ByteRange range) override {
    pack_(buffer, count, plan, packed, range);
  }
  void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan,
              ByteRange range) override {
    unpack_(packed, buffer, count, plan, range);
  }
  void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
            std::int64_t destination_count, const Plan& destination_plan, ByteRange range) override {
    copy_(source, source_count, source_plan, destination, destination_count, destination_plan, range);
  }

 private:
  static std::unique_ptr<Memory> pageable(std::int64_t bytes) { return std::make_unique<HostMemory>(bytes); }

  Pack pack_;
  Unpack unpack_;
  Copy copy_;
  Allocate user_, packed_;
};

}  // namespace typewarp::test
