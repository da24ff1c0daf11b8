// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

// What types with members are, in words: "{x: float32, y: S2}", with " at 8" where a member does not follow
// the one before it. Members of members are told as "a.b". Equal types give equal words, whichever protocol
// tells them and however it spells them. Empty for plain bytes.
namespace typewarp::python {

/// Of a format of the buffer protocol (PEP 3118, as NumPy, ctypes and Cython write it) of so many bytes,
/// which has no Python objects. A format that is not understood is its own words.
std::string words_of_format(std::string_view format, std::int64_t bytes);

/// Of the list of an array interface's "descr". One that is not understood gives its own text.
std::string words_of_descr(nanobind::handle descr);

}  // namespace typewarp::python
