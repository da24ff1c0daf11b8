// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <array>
#include <cstdio>
#include <ostream>

namespace typewarp::bench {
namespace {

std::string listed(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) text.append(text.empty() ? "" : " ").append(std::to_string(value));
  return text;
}

JsonObject json(const View& view) {
  return JsonObject()
      .add("itemsize", view.itemsize)
      .add("sizes", listed(view.sizes))
      .add("strides", listed(view.strides))
      .add("offset", view.offset);
}

JsonObject json(const Row& row) {
  JsonObject object;
  object.add("figure", row.figure).add("case", row.name).add("packed_bytes", row.packed_bytes);
  object.add("direction", row.direction).add("memory", row.memory).add("method", row.method);
  object.add("verified", row.verified ? "yes" : "no");
  object.add("median_us", row.sample.median_us)
      .add("p10_us", row.sample.p10_us)
      .add("p90_us", row.sample.p90_us);
  if (row.floor_us > 0)
    object.add("floor_us", row.floor_us).add("fraction_of_floor", row.fraction_of_floor());
  JsonObject baselines;
  for (const auto& [name, us] : row.baselines_us) baselines.add(name, us);
  object.add("baselines_us", baselines);
  if (row.view) object.add("view", json(*row.view));
  return object;
}

std::string line(const Row& row) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "%-10s %-34s %-7s %-7s %11lld %11.1f %11.1f %6.3f ",
                row.figure.c_str(), row.name.c_str(), row.direction.c_str(), row.memory.c_str(),
                static_cast<long long>(row.packed_bytes), row.sample.median_us, row.floor_us,
                row.fraction_of_floor());
  std::string result = text.data();
  for (const auto& [name, us] : row.baselines_us) {
    std::snprintf(text.data(), text.size(), "  %s %.1f", name.c_str(), us);
    result += text.data();
  }
  return result;
}

}  // namespace

void Report::header(const JsonObject& rates) {
  if (json_) {
    out_ << JsonObject().add("rates", rates).text() << '\n' << std::flush;
    return;
  }
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), "%-10s %-34s %-7s %-7s %11s %11s %11s %6s   baselines (us)",
                "figure", "case", "dir", "memory", "packed (B)", "us", "floor (us)", "frac");
  out_ << rates.text() << '\n' << text.data() << '\n' << std::flush;
}

void Report::failed(const std::string& which, const std::string& error) {
  if (json_) out_ << JsonObject().add("failed", which).add("error", error).text() << '\n' << std::flush;
}

void Report::row(const Row& row) { out_ << (json_ ? json(row).text() : line(row)) << '\n' << std::flush; }

}  // namespace typewarp::bench
