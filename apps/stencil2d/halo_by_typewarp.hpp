// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/halo.hpp"

#include <typewarp/halo_on_streams.hpp>
#include <typewarp/session.hpp>

#include <map>

namespace stencil2d {

/// By the library: of what it is to do it is told which elements are owned. Of a GPU's fields the stream
/// starts it.
class HaloByTypewarp final : public Halo {
 public:
  /// Collective. `field` is one of the arrays that are exchanged, `kind` the memory of all.
  HaloByTypewarp(const Domain& domain, typewarp::Named element, std::byte* field, typewarp::MemoryKind kind,
                 MPI_Comm comm);

  void exchange(std::byte* field, const OwnedStream& stream, PhaseTimes& times) override;
  std::int64_t bytes_sent() const noexcept override { return exchange_.bytes_sent(); }

 private:
  typewarp::halo::Field field_at(std::byte* data) const;
  void exchange_on_stream(std::byte* field, const OwnedStream& stream, PhaseTimes& times);

  typewarp::Session session_;
  typewarp::halo::ProcessGrid grid_;
  typewarp::halo::Field field_;
  bool on_gpu_;
  typewarp::halo::Exchange exchange_;
  std::map<std::byte*, typewarp::Exchange> on_streams_;  ///< by field; each made at its first exchange
};

}  // namespace stencil2d
