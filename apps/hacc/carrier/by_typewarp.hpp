// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/staged.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/p2p.hpp>

namespace hacc {

/// By the library: a message takes the block as it lies in memory, and a file what one call has packed.
class ByTypewarp final : public Staged {
 public:
  ByTypewarp(const Block& block, const apps::OwnedStream& stream);

  void pack(std::byte* packed) override;
  void unpack(const std::byte* packed) override;
  void start_send(int destination, MPI_Comm comm) override;
  void start_receive(int source, MPI_Comm comm) override;
  void finish() override { request_.wait(); }

 private:
  typewarp::Plan plan_;
  const apps::OwnedStream& stream_;
  typewarp::Request request_;
};

}  // namespace hacc
