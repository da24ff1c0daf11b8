// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nixl/engine.hpp"

#include "engine/runtime/memory_kinds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp::nixl {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t bytes = 1 << 16;  ///< of a piece of memory

/// An agent with two pieces of memory on a GPU, and what NIXL does for it.
class Agent {
 public:
  explicit Agent(std::string name, int device = 0, std::size_t size = bytes)
      : name_(std::move(name)), size_(size) {
    NixlParameters parameters;
    engine = std::make_unique<Engine>(
        InitialParameters{.agent = name_, .type = "TYPEWARP", .parameters = &parameters});
    EXPECT_CUDA(cudaSetDevice(device));
    for (int i = 0; i < 2; ++i) {
      memory.push_back(test::allocate(test::Source::device, static_cast<std::int64_t>(size_)));
      NixlMetadata* made = nullptr;
      EXPECT_EQ(engine->register_memory(described(i, ""), NixlMemory::device, made), NixlStatus::success);
      registered.push_back(made);
    }
    EXPECT_CUDA(cudaSetDevice(0));
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() {
    for (NixlMetadata* const target : targets) EXPECT_EQ(engine->unload(target), NixlStatus::success);
    for (NixlMetadata* const own : registered) EXPECT_EQ(engine->deregister_memory(own), NixlStatus::success);
  }

  const std::string& name() const noexcept { return name_; }
  std::size_t size() const noexcept { return size_; }
  std::uintptr_t begin(int i) const {
    return reinterpret_cast<std::uintptr_t>(memory[static_cast<std::size_t>(i)]->data());
  }
  DescribedMemory described(int i, std::string text) const { return {{begin(i), size_, 0}, std::move(text)}; }
  /// Learns of a peer, or of itself.
  NixlStatus meet(const Agent& peer) {
    if (&peer == this) {
      for (NixlMetadata* const own : registered) {
        NixlMetadata* made = nullptr;
        EXPECT_EQ(engine->load_local(own, made), NixlStatus::success);
        targets.push_back(made);
      }
      return engine->connect(name_);
    }
    std::string text;
    EXPECT_EQ(peer.engine->connection(text), NixlStatus::success);
    const NixlStatus status = engine->load_connection(peer.name(), text);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(peer.engine->public_data(peer.registered[static_cast<std::size_t>(i)], text),
                NixlStatus::success);
      NixlMetadata* made = nullptr;
      EXPECT_EQ(engine->load_remote(peer.described(i, text), NixlMemory::device, peer.name(), made),
                NixlStatus::success);
      targets.push_back(made);
    }
    return status;
  }
  Bytes content(int i) const {
    Bytes all(size_);
    EXPECT_CUDA(cudaMemcpy(all.data(), reinterpret_cast<void*>(begin(i)), size_, cudaMemcpyDefault));
    return all;
  }
  void fill(int i, const Bytes& with) const {
    EXPECT_CUDA(cudaMemcpy(reinterpret_cast<void*>(begin(i)), with.data(), size_, cudaMemcpyDefault));
  }

  std::unique_ptr<Engine> engine;
  std::vector<std::unique_ptr<test::Memory>> memory;
  std::vector<NixlMetadata*> registered, targets;

 private:
  std::string name_;
  std::size_t size_;
};

inline void wait_for(const Agent& agent, NixlRequest* request) {
  NixlStatus status = NixlStatus::in_progress;
  while (status == NixlStatus::in_progress) {
    status = agent.engine->check(request);
    std::this_thread::yield();
  }
  ASSERT_EQ(status, NixlStatus::success);
}

inline Bytes random_bytes(unsigned seed, std::size_t size = bytes) {
  std::mt19937 random(seed);
  Bytes all(size);
  for (unsigned char& one : all) one = static_cast<unsigned char>(random());
  return all;
}

}  // namespace typewarp::nixl
