// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/explain.hpp>

#include <chrono>

namespace typewarp::cli {

/// A layout of which `typewarp bench` measures some sizes.
struct BenchLayout {
  std::string name;
  Datatype (*make)(std::int64_t bytes);  ///< of about so many bytes of data
};
std::vector<BenchLayout> bench_layouts();
inline constexpr std::int64_t bench_sizes[] = {16 << 10, 512 << 10, 16 << 20};

/// One move, and another way to do the same.
struct BenchRow {
  std::string layout;
  std::int64_t bytes;  ///< of data
  std::string memory;  ///< where packed bytes lie: "device", "pinned" (the layout lies in the device), "host"
  std::string direction;  ///< "pack" or "unpack"
  std::string method;     ///< that the engine has chosen
  double us;
  std::optional<double> floor_us;  ///< none in host memory
  std::optional<double> other_us;  ///< by copies of the driver alone; in host memory by plain_loops.hpp
};

/// What is measured, and for how long.
struct BenchOptions {
  bool gpu = false;
  int device = 0;
  MachineProfile rates;  ///< of the device
  std::chrono::milliseconds each{100};
};

/// Of one layout: device and pinned if there is a GPU, and host, packed and unpacked. Throws what the engines
/// throw.
std::vector<BenchRow> bench_rows(const BenchLayout& layout, std::int64_t bytes, const BenchOptions& options);

}  // namespace typewarp::cli
