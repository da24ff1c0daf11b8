// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

namespace stencil2d {

/// The named type of the field's elements.
template <typename T>
inline constexpr typewarp::Named element_of = typewarp::Named::double_;
template <>
inline constexpr typewarp::Named element_of<float> = typewarp::Named::float_;

}  // namespace stencil2d
