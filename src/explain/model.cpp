// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/model.hpp"

#include <typewarp/segments.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace typewarp::explanation {
namespace {

constexpr double ns_per_us = 1000;

double us(std::int64_t bytes, double gb_per_s) { return static_cast<double>(bytes) / gb_per_s / ns_per_us; }

/// How far from each other two transfers are, in doublings; negative where one says nothing of the other.
double distance(const MeasuredRatio& a, const MeasuredRatio& b) {
  if (a.direction != b.direction || a.memory != b.memory || a.method != b.method) return -1;
  if (a.scattered != b.scattered) return -1;
  const auto doublings = [](double x, double y) { return std::abs(std::log2(x / y)); };
  // Sectors that are written in part are read first: what is measured of whole ones says little of them.
  const double sectors = a.whole == b.whole ? 0 : a.direction == "unpack" ? 3 : 0.5;
  return 0.5 * doublings(a.run, b.run) + 0.5 * doublings(a.step, b.step) + doublings(a.touched, b.touched) +
         sectors;
}

/// From which distance on nothing is predicted. Runs of a few bytes differ most from each other.
double far(const MeasuredRatio& sought) { return sought.run < 8 ? 1 : 4; }
constexpr std::size_t neighbours = 2;

struct Neighbour {
  double distance;
  const MeasuredRatio* measured;
};

std::vector<Neighbour> nearest(const MachineProfile& profile, const MeasuredRatio& sought) {
  std::vector<Neighbour> found;
  for (const MeasuredRatio& measured : profile.ratios) {
    const double away = distance(sought, measured);
    if (away >= 0 && away < far(sought)) found.push_back({away, &measured});
  }
  const std::size_t kept = std::min(neighbours, found.size());
  std::ranges::partial_sort(found, found.begin() + static_cast<std::ptrdiff_t>(kept), {},
                            &Neighbour::distance);
  found.resize(kept);
  return found;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

TransferFloor floor_of(const MachineProfile& profile, const Layout& layout, bool packs, MemoryKind packed) {
  const std::int64_t bytes = layout.size();
  TransferFloor floor{};
  floor.layout_bytes = segment_bytes * touched_segments(layout, 0);
  if (packed == MemoryKind::device) {
    floor.packed_bytes = (bytes + segment_bytes - 1) / segment_bytes * segment_bytes;
  } else {
    floor.link_bytes = bytes;
  }
  return floor_of(profile, floor, packs);
}

TransferFloor floor_of(const MachineProfile& profile, const TransferFloor& bytes, bool packs) {
  TransferFloor floor = bytes;
  floor.link_us = us(floor.link_bytes, packs ? profile.to_host_gb_per_s : profile.to_device_gb_per_s);
  floor.memory_us = us(floor.layout_bytes + floor.packed_bytes, profile.copy_gb_per_s);
  floor.launch_us = profile.launch_us;
  floor.us = std::max(floor.memory_us, floor.link_us) + floor.launch_us;
  return floor;
}

std::optional<Prediction> predict(const MachineProfile& profile, const MeasuredRatio& sought, double floor_us,
                                  std::string& reason) {
  if (profile.ratios.empty()) {
    reason = "the profile '" + profile.name + "' has rates only: no layouts were measured there";
    return std::nullopt;
  }
  const std::vector<Neighbour> near = nearest(profile, sought);
  if (near.empty()) {
    reason = "no layout near this one was measured on '" + profile.name + "' by this method";
    return std::nullopt;
  }
  double sum = 0;
  double weights = 0;
  for (const Neighbour& neighbour : near) {
    const double weight = 1 / (0.05 + neighbour.distance * neighbour.distance);
    sum += weight * std::log(neighbour.measured->ratio);
    weights += weight;
  }
  const double ratio = std::exp(sum / weights);
  std::string basis = rounded(ratio) + " of the floor, as measured of " + near.front().measured->source;
  if (near.size() > 1) basis += " and " + near.back().measured->source;
  return Prediction{ratio * floor_us, std::move(basis)};
}

}  // namespace typewarp::explanation
