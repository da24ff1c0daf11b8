// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "stencil2d/domain.hpp"
#include "stencil2d/halo/halo.hpp"

#include <typewarp/halo.hpp>
#include <typewarp/session.hpp>

namespace stencil2d {

/// By the library: of what it is to do it is told which elements are owned.
class HaloByTypewarp final : public Halo {
 public:
  /// Collective. `field` is one of the arrays that are exchanged.
  HaloByTypewarp(const Domain& domain, typewarp::Named element, std::byte* field, MPI_Comm comm);

  void exchange(std::byte* field, const apps::OwnedStream& stream, PhaseTimes& times) override;
  std::int64_t bytes_sent() const noexcept override { return exchange_.bytes_sent(); }

 private:
  typewarp::Session session_;
  typewarp::halo::Exchange exchange_;
};

}  // namespace stencil2d
