// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/bench/bench_rows.hpp"

namespace typewarp::cli {

/// Bars of how many times faster each row is than the other way, on a logarithmic scale with a line at 1, a
/// panel for each kind of memory: a file of SVG.
std::string bench_plot(const std::vector<BenchRow>& rows, const std::string& title);

/// "16 KiB", "1.5 MiB".
std::string size_text(std::int64_t bytes);

}  // namespace typewarp::cli
