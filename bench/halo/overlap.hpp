// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "way.hpp"

/// A stencil of the interior with an exchange beside it.
namespace typewarp::halo_bench {

/// How the interior is computed.
struct Work {
  std::int64_t slices;  ///< one after the other
  int rounds;           ///< of arithmetic for each cell
};

class Overlap {
 public:
  /// Collective; `subject` must stay.
  Overlap(const Subject& subject, const Work& work);

  // Each of these returns when all is done.
  void exchange();
  void compute() const;
  void both();
  void in_turn();  ///< the interior, then the exchange
  /// Forgets what was computed. Only enqueues.
  void clear() const;
  /// Cells that do not hold what both() should have computed since.
  std::int64_t wrong() const;
  std::string packing() const { return std::string(name(exchange_.packing())); }

 private:
  void enqueue_stencil() const;
  double* next() const { return reinterpret_cast<double*>(next_.get()); }

  const Subject& subject_;
  Span3 interior_;
  std::vector<Span3> slices_;
  int rounds_;
  std::shared_ptr<std::byte> next_;
  halo::Exchange exchange_;
};

}  // namespace typewarp::halo_bench
