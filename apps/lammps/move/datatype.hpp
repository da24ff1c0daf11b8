// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/move/transfer.hpp"

#include <typewarp/datatype.hpp>

namespace lammps {

/// The rows of a part, column after column, at their absolute addresses.
typewarp::Datatype datatype_of(const Part& part);

}  // namespace lammps
