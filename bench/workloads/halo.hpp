// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <vector>

/// The halo exchange of a cube with all 26 neighbours.
namespace typewarp::bench {

enum class HaloSide : std::uint8_t { sent, received };

/// Of each direction: the cells of the interior that are sent there, or the cells of the halo that come from
/// there. The array has `interior` doubles and a halo of `width` on both sides in every dimension.
std::vector<Datatype> halo_regions(std::int64_t interior, std::int64_t width, HaloSide side);
/// All regions of so many arrays, one behind the other, as one datatype.
Datatype halo_of_fields(const std::vector<Datatype>& regions, std::int64_t fields, std::int64_t field_bytes);

}  // namespace typewarp::bench
