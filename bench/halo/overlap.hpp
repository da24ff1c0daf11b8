// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "way.hpp"

/// A stencil of the interior with an exchange beside it.
namespace typewarp::halo_bench {

class Overlap {
 public:
  /// The interior is computed in so many slices, one after the other. Collective; `subject` must stay.
  Overlap(const Subject& subject, std::int64_t slices);

  // Each returns when all is done.
  void exchange();
  void compute() const;
  void both();
  std::string packing() const { return std::string(name(exchange_.packing())); }

 private:
  void enqueue_stencil() const;

  const Subject& subject_;
  std::vector<Span3> slices_;
  std::shared_ptr<std::byte> next_;
  halo::Exchange exchange_;
};

}  // namespace typewarp::halo_bench
