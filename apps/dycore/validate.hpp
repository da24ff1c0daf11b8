// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/shape.hpp"
#include "dycore/start.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace dycore {

/// A state of a box is the planes of all fields, field after field.
struct Box {
  apps::Shape shape;
  std::int64_t levels;
};

/// The state of a whole box at its start.
std::vector<double> start_state(const Start& start, const Box& box);

/// What distinguishes two states of a box, to the last bit: "" if nothing does.
std::string difference(const std::vector<double>& state, const std::vector<double>& other, const Box& box);

/// By how much a total that is conserved has changed, as apps::imbalance() has it. All are but that of the
/// vertical wind, which warm air drives.
double imbalance(const std::vector<double>& start, const std::vector<double>& end, const Box& box);

/// A plane of a field.
std::vector<double> plane_of(const std::vector<double>& state, int field, std::int64_t plane, const Box& box);

}  // namespace dycore
