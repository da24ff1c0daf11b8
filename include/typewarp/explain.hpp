// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>
#include <typewarp/engine.hpp>
#include <typewarp/hints.hpp>

#include <optional>

/// How this library handles a datatype: where its bytes are, which method moves them, the least time that
/// takes, and what could be improved. Needs neither GPU nor MPI.
namespace typewarp {

/// Measured rates of a GPU's memory and of its link to the host, in GB/s (1e9 bytes per
/// second).
struct GpuRates {
  std::string gpu;
  double copy_gb_per_s = 0;  ///< of a copy within the device; bytes read and written
  double to_host_gb_per_s = 0;
  double to_device_gb_per_s = 0;
  double launch_us = 0;  ///< launch of an empty kernel, and the wait for it

  /// Recorded rates of a GPU, by its short name ("h200", "h100", and "mi250x", "mi300x" as published, which
  /// the result's `gpu` says) or the driver's name, if there are any.
  static std::optional<GpuRates> recorded(std::string_view gpu);
  /// Recorded rates of this process's GPU 0; none without a GPU, or if it is of another kind.
  static std::optional<GpuRates> recorded_here();
  /// Measured on `device`, which takes about a second and 512 MiB of its memory. Throws GpuError.
  static GpuRates measured(int device);
};

/// The least time that memory, link and launch allow (docs/guide/explain.md).
struct TransferFloor {
  std::int64_t layout_bytes;  ///< of device memory that the layout touches, in whole segments of 64 bytes
  std::int64_t packed_bytes;  ///< the same for the packed bytes; 0 if they are in host memory
  std::int64_t link_bytes;    ///< that cross a link
  double memory_us, link_us, launch_us;
  double us;  ///< the larger of the first two, plus the third
};

/// One of the methods that the engine considers, in its order.
struct ConsideredMethod {
  std::string name;   ///< of a Method (hints.hpp)
  std::string rule;   ///< when it is chosen
  std::string needs;  ///< what it requires
  bool can;           ///< whether a hint can select it
  bool suits;         ///< whether the rule holds; without hints the first suitable method is chosen
  std::optional<double> measured_us;
};

/// One move between a layout and packed bytes.
struct ExplainedMove {
  std::string engine;     ///< "gpu" or "host"
  std::string direction;  ///< "pack" or "unpack"
  std::string memory;     ///< where the packed bytes are: "device", "pinned" or "host"
  std::vector<ConsideredMethod> methods;
  std::string chosen;
  std::vector<std::string> remarks;    ///< the effect of each hint
  std::string how;                     ///< how the chosen method walks this layout
  std::optional<TransferFloor> floor;  ///< none for host memory, whose rates are not known
  std::optional<double> measured_us;
};

/// What explain() returns.
struct Explanation {
  std::int64_t count, size, lb, extent, true_lb, true_extent;  ///< in bytes, except `count`; of one item
  std::int64_t bytes;                                          ///< of data in all items
  std::int64_t runs;  ///< pieces of consecutive bytes in all items; the largest 64-bit value for more
  std::string tree, layout, picture;
  std::string machine;  ///< the GPU that the floors apply to; empty if only the host engine is explained
  std::string hints;    ///< the plan's and those of the environment; empty if there are none
  std::vector<ExplainedMove> moves;
  std::vector<std::string> advice;

  std::string to_string() const;
  std::string to_json() const;
};

/// Options of explain().
struct ExplainOptions {
  std::int64_t count = 1;
  bool gpu = true, host = true;  ///< which engines to explain
  /// The GPU whose rates give the floors, by a name for GpuRates::recorded(). Empty: those of `device`,
  /// measured, if `measure` is set and there is a GPU; else recorded ones of this GPU or of "h200".
  std::string machine = {};
  /// Moves the bytes with each possible method and times it: in host memory always, in memory of `device` if
  /// there is a GPU. Allocates memory for the layout's span and for the packed bytes.
  bool measure = false;
  int device = 0;
};

/// Explains the plan with its hints. Throws InvalidArgument for a negative count, bytes beyond 64 bits, or a
/// machine of which nothing is recorded; with `measure` also what the engines throw.
Explanation explain(const Plan& plan, const ExplainOptions& options = {});

/// A picture of where the bytes of `count` items are, as the text of an SVG file.
std::string picture_svg(const Plan& plan, std::int64_t count = 1);

/// The text is not a datatype. what() is one line that names the column, what is there, and what is
/// expected.
class ExpressionError : public Error {
 public:
  ExpressionError(std::int64_t column, const std::string& text);

  /// Of the first wrong character, counted from 1.
  std::int64_t column() const noexcept { return column_; }

 private:
  std::int64_t column_;
};

/// The datatype of an expression: a named type (`double`, `int`, `MPI_DOUBLE`, ...) or a constructor with
/// its arguments in the order of datatype.hpp, which may be named: `vector(1024, 1, stride=512, double)`,
/// `struct([1, 1], [0, 8], [double, int])`, `subarray([64, 64], [8, 8], [0, 0], c, double)`. A named
/// argument may be anywhere; those without a name fill the remaining places from left to right. Lists are
/// `[a, b, ...]`; `[a] * n` repeats one, and `range(begin, end, step)` is a list. Numbers may be sums and
/// products, and may end in Ki, Mi or Gi. Throws ExpressionError, also for arguments that the constructor
/// refuses.
Datatype datatype_of(std::string_view expression);

}  // namespace typewarp
