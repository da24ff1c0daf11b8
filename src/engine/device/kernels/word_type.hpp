// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>

namespace typewarp::gpu {

/// What one access moves, by the binary logarithm of its bytes.
using WordTypes = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, uint4>;
inline constexpr int words = std::tuple_size_v<WordTypes>;

template <int word_log2>
using Word = std::tuple_element_t<word_log2, WordTypes>;

/// The binary logarithm of `bytes`, a power of two.
template <int bytes>
inline constexpr int log2_of = std::countr_zero(static_cast<unsigned>(bytes));

}  // namespace typewarp::gpu
