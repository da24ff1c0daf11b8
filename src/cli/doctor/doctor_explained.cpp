// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_explained.hpp"

#include "cli/doctor/doctor_places.hpp"
#include "plan/wire.hpp"

#include <typewarp/explain.hpp>

#include <utility>

namespace typewarp::cli {
namespace {

std::string explained(const SiteSide& side, bool device) {
  if (side.wire.empty()) return "  its layout was too long to be noted\n";
  try {
    ExplainOptions options;
    options.count = side.count;
    options.gpu = device;
    options.host = !device;
    if (device) options.machine = GpuRates::recorded_here().value_or(GpuRates{}).gpu;
    return explain(plan::from_wire(side.wire), options).to_string();
  } catch (const Error& error) {
    return std::string("  ") + error.what() + "\n";
  }
}

}  // namespace

std::string explained(const DoctorReport& report, std::size_t most) {
  std::string text;
  std::size_t told = 0;
  for (const Diagnosis& of : report.sites) {
    const CallSite& site = of.site;
    if (!site.has_gaps()) continue;
    if (told++ == most) break;
    const std::string call = site.call + (site.stack.empty() ? "" : " at " + place(site.stack.front()));
    for (const auto& [side, does] : {std::pair(&site.sent, "sends"), std::pair(&site.received, "receives")}) {
      if (!side->has_gaps()) continue;
      text += "\n" + call + " " + does + " " + std::to_string(side->count) + " x " + side->type + "\n\n" +
              explained(*side, site.device);
    }
  }
  return text.empty() ? "\nnothing to explain: no call has data with gaps\n" : text;
}

}  // namespace typewarp::cli
