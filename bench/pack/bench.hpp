// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hand/hand.hpp"
#include "memory.hpp"
#include "rates.hpp"
#include "report.hpp"

#include <typewarp/engine.hpp>

/// What every case is given.
namespace typewarp::bench {

struct Bench {
  Pool pool;
  Queue queue;
  Rates rates;
  Report report;
  std::string method;     ///< what TYPEWARP_METHOD asks the library for
  bool baselines = true;  ///< whether to measure others too
  Effort effort;
};

/// Something to run, made only when it is.
struct Case {
  std::string figure, name;
  std::function<void(Bench&)> run;
};

/// Rows of cudaMemcpy2DAsync, and with a depth above 1 of cudaMemcpy3DAsync, from `offset` on. In bytes;
/// `rows` is the number of pitches from one plane to the next. A call for each of the `boxes`, some
/// `distance` apart.
struct Pitched {
  std::int64_t width, height, pitch;
  std::int64_t depth = 1, rows = 0;
  std::int64_t offset = 0;
  std::int64_t boxes = 1, distance = 0;
};

/// How the papers have CUDA's copies bring bytes to the host, besides what is measured of all.
enum class Detour : std::uint8_t {
  none,
  extent,   ///< with all gaps: of structs, as in 000
  schemes,  ///< with gaps in the host too, or packed in the device first: of rows, as in 001
};

/// What is moved, and how others would say the same.
struct Problem {
  Datatype type;
  std::int64_t count = 1;
  HandCoded hand = nullptr;
  std::optional<Pitched> pitched = std::nullopt;
  std::optional<View> view = std::nullopt;
  HandCoded hand_naive = nullptr;  ///< shorter to write than `hand`; for packed bytes on the device
  Detour detour = Detour::none;
};

/// Two layouts of equally many bytes, and the kernel that moves the one to the other, if there is one.
struct CopyProblem {
  Problem source, destination;
  HandCodedCopy hand = nullptr;
};

/// Which of the four rows: where packed bytes lie, and which way they move.
struct Selection {
  bool device = true, pinned = true;
  bool pack = true, unpack = true;
};
inline constexpr Selection only_device{true, false, true, true};
inline constexpr Selection only_pinned{false, true, true, true};

/// Packs and unpacks a problem: up to four rows.
Case moving(const std::string& figure, const std::string& name, const std::function<Problem()>& make,
            Selection selection = {});

/// Moves bytes from one layout to another, both in device memory: one row.
Case copying(const std::string& figure, const std::string& name, const std::function<CopyProblem()>& make);

}  // namespace typewarp::bench
