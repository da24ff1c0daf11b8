// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

/// Signatures as a monoid: a polynomial hash modulo the prime 2^61 - 1, in which the sequence (e1, ..., en)
/// has the value e1 * b^(n-1) + ... + en. The empty sequence is Signature{}.
namespace typewarp::datatype {

/// The sequence of one basic element (a pair type is two of these).
Signature signature_of(Named basic);

Signature concatenated(const Signature& first, const Signature& second);

/// `count` >= 0 copies, one after another, in O(log count).
Signature repeated(const Signature& signature, std::int64_t count);

}  // namespace typewarp::datatype
