// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lammps/place.hpp"

#include <array>

namespace lammps {

/// Buffers of the host for what goes down and up along an axis by hand. They outlive transfers, as those of
/// LAMMPS do, since page-locked memory takes long to allocate. Transfers that take turns share them: the
/// stream has passed one before the next runs.
struct Staging {
  std::array<Room, 2> outgoing, incoming;
};

}  // namespace lammps
