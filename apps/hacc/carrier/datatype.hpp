// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/block.hpp"

#include <typewarp/datatype.hpp>

namespace hacc {

/// The whole block as one struct of absolute addresses.
typewarp::Datatype datatype_of(const Block& block);

}  // namespace hacc
