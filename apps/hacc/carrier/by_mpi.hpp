// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/carrier/carrier.hpp"

namespace hacc {

/// By plain MPI calls with one datatype. Memory of a GPU needs an MPI that takes it, or the preload library.
class ByMpi final : public Carrier {
 public:
  explicit ByMpi(const Block& block);
  ~ByMpi() override;

  void pack(std::byte* packed) override;
  void unpack(const std::byte* packed) override;
  void start_send(int destination, MPI_Comm comm) override;
  void start_receive(int source, MPI_Comm comm) override;
  void finish() override;
  void write(MPI_File file, MPI_Offset at) override;
  void read(MPI_File file, MPI_Offset at) override;

 private:
  int bytes_;
  MPI_Datatype datatype_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace hacc
