// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_prediction.hpp"
#include "cli/doctor/doctor_report.hpp"

#include <nlohmann/json.hpp>

namespace typewarp::cli {
namespace {

using Json = nlohmann::ordered_json;

Json of_side(const SiteSide& side) {
  if (side.pieces == 0) return nullptr;
  return {{"type", side.type}, {"count", side.count}, {"pieces", side.pieces}, {"bytes", side.bytes}};
}

Json of_frame(const Frame& frame) {
  Json made{{"module", frame.module}, {"offset", frame.offset}};
  if (!frame.function.empty()) made["function"] = frame.function;
  if (!frame.file.empty()) made["file"] = frame.file, made["line"] = frame.line;
  return made;
}

Json of_diagnosis(const Diagnosis& of) {
  const CallSite& site = of.site;
  Json stack = Json::array();
  for (const Frame& frame : site.stack) stack.push_back(of_frame(frame));
  return {{"call", site.call},
          {"communicator", {{"name", site.comm}, {"ranks", site.comm_ranks}}},
          {"memory", site.device ? "device" : "host"},
          {"sent", of_side(site.sent)},
          {"received", of_side(site.received)},
          {"view", of_side(site.view)},
          {"ranks", site.totals.ranks.size()},
          {"calls", site.totals.calls},
          {"bytes", site.totals.bytes},
          {"datatypes_made", site.totals.datatypes_made},
          {"repeats", site.totals.repeats},
          {"seconds", site.totals.seconds()},
          {"seconds_waiting", site.totals.waiting},
          {"fast_seconds", site.totals.fast},
          {"predicted_seconds", of.predicted},
          {"lost_seconds", of.lost},
          {"cure", of.cure},
          {"stack", stack}};
}

}  // namespace

std::string as_json(const DoctorReport& report) {
  Json sites = Json::array();
  for (const Diagnosis& of : report.sites) sites.push_back(of_diagnosis(of));
  const Json all{{"version", 1},
                 {"command", report.command},
                 {"exit_status", report.exit_status},
                 {"ranks", report.job.ranks},
                 {"recorded", report.job.recorded},
                 {"unfinished", report.job.unfinished},
                 {"seconds", report.job.seconds},
                 {"calls_without_site", report.job.others},
                 {"headlines", headlines(report)},
                 {"prediction", how_it_is_predicted},
                 {"sites", sites}};
  // Names of communicators and files may be in any encoding.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace typewarp::cli
