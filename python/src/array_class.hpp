// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dlpack.hpp"

namespace typewarp::python {

/// What a class of arrays says of its objects.
struct ArrayClass {
  const ExchangeApi* exchange;  ///< its function table; null if it has none that is known here
  bool may_be_lazy;             ///< objects may have what PyTorch's have: requires_grad, is_conj, is_neg
  bool may_be_awaited;          ///< or what JAX's have: block_until_ready
};

/// A class is asked once: to ask each object for what it lacks takes longer than all else. So it must not get
/// other attributes later. Objects that may have attributes of their own, unlike CuPy's, may have any.
ArrayClass array_class_of(nanobind::handle x);

}  // namespace typewarp::python
