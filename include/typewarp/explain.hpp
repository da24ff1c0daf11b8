// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>

#include <optional>

/// What a datatype is to this library: where its bytes lie, by which method they are moved, the least time
/// that takes, and what could be better. Needs neither GPU nor MPI.
namespace typewarp {

/// What the memory of a GPU and its link to the host were measured to do. Rates are in GB/s (1e9 bytes a
/// second).
struct GpuRates {
  std::string gpu;
  double copy_gb_per_s = 0;  ///< of a copy within the device, read and written
  double to_host_gb_per_s = 0;
  double to_device_gb_per_s = 0;
  double launch_us = 0;  ///< an empty kernel that is waited for

  /// Those recorded of a GPU, by its short name ("h200", "h100") or the driver's; none of any other.
  static std::optional<GpuRates> recorded(std::string_view gpu);
  /// Recorded of GPU 0 of this process; none if there is no GPU, or one of another kind.
  static std::optional<GpuRates> recorded_here();
  /// Measured on `device`, which takes about a second and 512 MiB of its memory. Throws GpuError.
  static GpuRates measured(int device);
};

/// The least time that memory, link and launch allow (docs/guide/explain.md).
struct TransferFloor {
  std::int64_t layout_bytes;  ///< of device memory that the layout touches, in segments of 64 bytes
  std::int64_t packed_bytes;  ///< the same of the packed bytes; 0 where they lie in host memory
  std::int64_t link_bytes;    ///< that pass a link
  double memory_us, link_us, launch_us;
  double us;  ///< the larger of the first two, plus the third
};

/// One of the methods that the engine considers, in its order.
struct ConsideredMethod {
  std::string name;   ///< of a Method (hints.hpp)
  std::string rule;   ///< when it is taken
  std::string needs;  ///< what it cannot do without
  bool can;           ///< whether a hint could have it taken
  bool suits;         ///< whether the rule holds; without hints the first that suits is taken
  std::optional<double> measured_us;
};

/// One move between a layout and packed bytes.
struct ExplainedMove {
  std::string engine;     ///< "gpu" or "host"
  std::string direction;  ///< "pack" or "unpack"
  std::string memory;     ///< where packed bytes lie: "device", "pinned" or "host"
  std::vector<ConsideredMethod> methods;
  std::string chosen;
  std::vector<std::string> remarks;    ///< what becomes of each hint
  std::string how;                     ///< how the chosen method goes through this layout
  std::optional<TransferFloor> floor;  ///< none of host memory, whose rates are not known
  std::optional<double> measured_us;
};

/// What explain() tells.
struct Explanation {
  std::int64_t count, size, lb, extent, true_lb, true_extent;  ///< bytes, but for `count`; of one item
  std::int64_t bytes;                                          ///< of data in all items
  std::int64_t runs;  ///< pieces of consecutive bytes in all items; the largest 64-bit value for more
  std::string tree, layout, picture;
  std::string machine;  ///< the GPU that the floors are of; empty where only the host engine is explained
  std::string hints;    ///< the plan's, and those of the environment; empty if there are none
  std::vector<ExplainedMove> moves;
  std::vector<std::string> advice;

  std::string to_string() const;
  std::string to_json() const;
};

/// What explain() is asked.
struct ExplainOptions {
  std::int64_t count = 1;
  bool gpu = true, host = true;  ///< which engines to explain
  /// Whose rates the floors are of, as GpuRates::recorded() knows it. Empty: those of `device`, measured
  /// then, where `measure` is set and there is a GPU; else "h200".
  std::string machine = {};
  /// Moves the bytes and times it: host memory always, memory of `device` where there is a GPU, by each
  /// method that can. Allocates the layout's span and its bytes.
  bool measure = false;
  int device = 0;
};

/// Of the plan with its hints. Throws InvalidArgument for a negative count, bytes beyond 64 bits, or a
/// machine of which nothing is recorded; with `measure` what the engines throw.
Explanation explain(const Plan& plan, const ExplainOptions& options = {});

/// A picture of where the bytes of `count` items lie, as a file of SVG.
std::string picture_svg(const Plan& plan, std::int64_t count = 1);

}  // namespace typewarp
