// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "workloads.hpp"

/// The families of ddtbench, each of which appends its cases.
namespace typewarp::bench {

void append_wrf(std::vector<NamedWorkload>& cases);
void append_milc(std::vector<NamedWorkload>& cases);
void append_nas(std::vector<NamedWorkload>& cases);
void append_lammps(std::vector<NamedWorkload>& cases);
void append_specfem(std::vector<NamedWorkload>& cases);
void append_fft(std::vector<NamedWorkload>& cases);

/// The first `n` of a shuffle of [0, total): distinct, unsorted, the same in every run.
std::vector<std::int64_t> shuffled_indices(std::int64_t n, std::int64_t total);

inline std::int64_t address(const Buffer& buffer) { return reinterpret_cast<std::intptr_t>(buffer.data()); }

}  // namespace typewarp::bench
