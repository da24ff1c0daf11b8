// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/bindings.hpp"
#include "halo/setup.hpp"
#include "halo/stage_progress.hpp"

#include <typewarp/halo.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace typewarp::halo {

/// What an exchange is made of, and which call comes next.
struct Exchange::State {
  /// Nothing comes after messages have failed, since neighbours may be an exchange further.
  enum class Phase : std::uint8_t { packing, starting, waiting, unpacking, failed };

  State(const ProcessGrid& grid, std::vector<Field> described, const Options& options);

  Binding& bound() { return bindings.bound(); }
  template <typename Count>
  std::int64_t total(Count count) {
    std::int64_t result = 0;
    for (const Prepared& prepared : bound().stages) result += (prepared.*count)();
    return result;
  }
  void use(std::span<const Field> others, std::int64_t other_width);
  /// Whether no exchange is under way.
  bool idle() { return phase == Phase::packing || (phase == Phase::unpacking && bound().unpacked_by_graph); }
  /// Whether its messages are under way or have come.
  bool is_started() const noexcept { return phase == Phase::waiting || phase == Phase::unpacking; }
  void require(bool in_order, const char* function) const;
  /// For a stream that is captured.
  void check_capture(bool possible, const char* function) const;
  void pack(Stream stream);
  void start(Stream stream);
  /// Both, of one call, for which neighbours are waiting: what fails is thrown by advance().
  void pack_and_start(Stream stream);
  /// Whether all data has come; `block` waits for it.
  bool advance(bool block);
  void unpack(Stream stream);
  void accumulate(Accumulation& accumulation, Operation operation, Stream stream);
  template <typename Step>
  void guard(Buffer& of_messages, Step step);

  std::vector<Field> fields;
  Options asked;
  Setup setup;
  std::int64_t width = full_width;
  Bindings bindings;
  Phase phase = Phase::packing;
  StreamOrder order;
  StageProgress progress;
};

}  // namespace typewarp::halo
