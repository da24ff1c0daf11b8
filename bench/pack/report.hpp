// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "json.hpp"
#include "measure.hpp"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::bench {

/// How an array library says a layout: element size in bytes, the rest in elements.
struct View {
  std::int64_t itemsize = 8;
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
};

/// One measurement, as docs/internals/measuring.md describes the fields.
struct Row {
  std::string figure, name, direction, memory, method;
  std::int64_t packed_bytes = 0;
  Sample sample;
  double floor_us = 0;  ///< 0: none is known
  std::map<std::string, double> baselines_us;
  std::optional<View> view;  ///< for baselines that are measured elsewhere
  bool verified = false;     ///< whether the bytes of this very case were compared before it was timed

  double fraction_of_floor() const { return floor_us / sample.median_us; }
};

/// Prints rows as they come: one JSON object a line, or an aligned table.
class Report {
 public:
  Report(std::ostream& out, bool json) : out_(out), json_(json) {}

  void header(const JsonObject& rates);
  void row(const Row& row);
  /// A case that ended with an error. In a table it has no line: who reads one reads the errors too.
  void failed(const std::string& which, const std::string& error);

 private:
  std::ostream& out_;
  bool json_;
};

}  // namespace typewarp::bench
