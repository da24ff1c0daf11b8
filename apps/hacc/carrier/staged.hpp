// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/carrier.hpp"

namespace hacc {

/// Sends, writes and reads the packed block, from and to a staging buffer of the host.
class Staged : public Carrier {
 public:
  /// Throws typewarp::Error if the block is longer than an int counts, besides.
  explicit Staged(const Block& block);

  void start_send(int destination, MPI_Comm comm) override;
  void start_receive(int source, MPI_Comm comm) override;
  void finish() override;
  void write(MPI_File file, MPI_Offset at) override;
  void read(MPI_File file, MPI_Offset at) override;

 protected:
  std::byte* staging() const noexcept { return packed_.data(); }

 private:
  apps::Buffer packed_;
  int bytes_;
  bool receiving_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace hacc
