// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/signature.hpp"

namespace typewarp::datatype {

namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
// Arbitrary, large, and below the prime.
constexpr std::uint64_t base = 0x0f5a3c9d7b16e284;
constexpr std::uint64_t spread = 0x1b873593cc9e2d51;

__extension__ using Wide = unsigned __int128;

std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t folded =
      static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
  return folded >= prime ? folded - prime : folded;
}

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= prime ? sum - prime : sum;
}

std::uint64_t base_to_the(std::int64_t exponent) {
  std::uint64_t power = 1;
  for (std::uint64_t square = base; exponent > 0; exponent /= 2, square = multiply(square, square)) {
    if (exponent % 2 != 0) power = multiply(power, square);
  }
  return power;
}

}  // namespace

Signature signature_of(Named basic) { return {1, multiply(static_cast<std::uint64_t>(basic) + 1, spread)}; }

Signature concatenated(const Signature& first, const Signature& second) {
  return {first.elements + second.elements,
          add(multiply(first.hash, base_to_the(second.elements)), second.hash)};
}

Signature repeated(const Signature& signature, std::int64_t count) {
  if (signature.elements == 0) return {};
  // Doubling: `doubled` is the signature 2^i times, and `power` is base^(its elements).
  Signature result;
  Signature doubled = signature;
  std::uint64_t power = base_to_the(signature.elements);
  while (count > 0) {
    if (count % 2 != 0) {
      result = {result.elements + doubled.elements, add(multiply(result.hash, power), doubled.hash)};
    }
    count /= 2;
    if (count > 0) {
      doubled = {2 * doubled.elements, add(multiply(doubled.hash, power), doubled.hash)};
      power = multiply(power, power);
    }
  }
  return result;
}

}  // namespace typewarp::datatype
