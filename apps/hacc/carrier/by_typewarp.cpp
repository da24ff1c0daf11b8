// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hacc/carrier/by_typewarp.hpp"

#include "hacc/carrier/datatype.hpp"

namespace hacc {
ByTypewarp::ByTypewarp(const Block& block, const apps::OwnedStream& stream)
    : Staged(block), plan_(typewarp::commit(datatype_of(block))), stream_(stream) {}

void ByTypewarp::pack(std::byte* packed) {
  typewarp::pack(nullptr, 1, plan_, packed, stream_.get());
  stream_.synchronize();
}

void ByTypewarp::unpack(const std::byte* packed) {
  typewarp::unpack(packed, nullptr, 1, plan_, stream_.get());
  stream_.synchronize();
}

void ByTypewarp::start_send(int destination, MPI_Comm comm) {
  request_ = typewarp::isend(nullptr, 1, plan_, destination, block_tag, comm, stream_.get());
}

void ByTypewarp::start_receive(int source, MPI_Comm comm) {
  request_ = typewarp::irecv(nullptr, 1, plan_, source, block_tag, comm, stream_.get());
}

}  // namespace hacc
