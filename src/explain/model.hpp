// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

/// Times without a GPU: the floor from rates, and a prediction from layouts that were measured.
namespace typewarp::explanation {

TransferFloor floor_of(const MachineProfile& profile, const Layout& layout, bool packs, MemoryKind packed);
/// Of the same bytes as another floor, on another machine.
TransferFloor floor_of(const MachineProfile& profile, const TransferFloor& bytes, bool packs);

struct Prediction {
  double us;
  std::string basis;
};

/// `sought` as in ExplainedMove::traits. By the measured transfers of the same direction, memory and method
/// that are nearest in run, step and bytes touched. None where none is near; `reason` then says so.
std::optional<Prediction> predict(const MachineProfile& profile, const MeasuredRatio& sought, double floor_us,
                                  std::string& reason);

}  // namespace typewarp::explanation
