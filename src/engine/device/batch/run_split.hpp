// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/batch/copy_table.hpp"

#include <vector>

namespace typewarp::gpu {

/// A copy of words of less than 1 << staged_words bytes as several, where runs are equally long on both sides
/// and begin at multiples of wider words than their length is: runs of 17 bytes every 24 are two words of 8
/// bytes each, and one byte each. Finding where a word lies is most of what short words take, where a copy is
/// short. Left as they are: long copies and those that would become more than two, since each writes to every
/// sector of a run, and a link carries so many sectors; copies that would take more tiles so; and those that
/// begin or end within a run. Together the copies write what the one does.
std::vector<ViewedCopy> in_wider_words(const ViewedCopy& copy);

}  // namespace typewarp::gpu
