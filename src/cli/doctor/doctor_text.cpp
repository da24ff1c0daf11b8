// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_record.hpp"
#include "cli/doctor/doctor_prediction.hpp"
#include "cli/doctor/doctor_report.hpp"
#include "plan/wire.hpp"

#include <typewarp/explain.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace typewarp::cli {
namespace {

std::string listed(const std::vector<int>& numbers) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return numbers.size() > most ? text + ", ..." : text;
}

double mpi_seconds(const DoctorReport& report) {
  return std::accumulate(report.sites.begin(), report.sites.end(), report.job.others_seconds,
                         [](double sum, const Diagnosis& of) { return sum + of.site.totals.seconds(); });
}

std::string cut(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string row(const Diagnosis& of) {
  const CallSite& site = of.site;
  const std::int64_t pieces = std::max(site.sent.pieces, site.received.pieces);
  const double share = site.totals.seconds() > 0 ? 100 * site.totals.waiting / site.totals.seconds() : 0;
  std::array<char, 256> text{};
  std::snprintf(
      text.data(), text.size(), "%9s %9s %9s %5.0f%% %9lld %8lld %8s  %s\n", seconds_text(of.lost).c_str(),
      seconds_text(site.totals.seconds()).c_str(), seconds_text(of.predicted).c_str(), share,
      static_cast<long long>(site.totals.calls), static_cast<long long>(pieces),
      bytes_text(static_cast<double>(site.totals.bytes_of_a_call())).c_str(), cut(site.call, 28).c_str());
  return text.data();
}

/// The line of the caller, the communicator and the datatype, and the cure.
std::string details(const Diagnosis& of) {
  constexpr std::size_t width = 110;
  const CallSite& site = of.site;
  std::string text = "          at " + (site.stack.empty() ? "?" : place(site.stack.front()));
  if (site.comm_ranks > 0)
    text +=
        ", " + (site.comm.empty() ? "a communicator" : site.comm) + " of " + std::to_string(site.comm_ranks);
  text = cut(text + (site.device ? ", GPU memory" : ""), width) + "\n";
  const SiteSide& side = site.sent.pieces >= site.received.pieces ? site.sent : site.received;
  if (side.has_gaps())
    text += cut("          " + std::to_string(side.count) + " x " + side.type, width) + "\n";
  if (!of.cure.empty()) text += "       -> " + of.cure + "\n";
  return text;
}

std::string explained(const SiteSide& side, bool device) {
  if (side.wire.empty()) return "  its layout was too long to record\n";
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

std::vector<std::string> headlines(const DoctorReport& report) {
  const JobRecord& job = report.job;
  std::vector<std::string> lines;
  double lost = 0;
  bool any = false;
  for (const Diagnosis& of : report.sites) {
    if (of.cure.empty()) continue;
    any = true;
    lost += of.lost;
  }
  const std::string time = std::to_string(job.recorded.size()) +
                           (job.recorded.size() == 1 ? " rank, " : " ranks, ") + seconds_text(job.seconds) +
                           " between MPI_Init and MPI_Finalize in all, " + seconds_text(mpi_seconds(report)) +
                           " in the MPI";
  lines.push_back(any ? time + ", " + seconds_text(lost) + " lost"
                      : "no finding: " + time + ", nothing to gain for noncontiguous data or GPU memory");
  if (job.recorded.size() < static_cast<std::size_t>(job.ranks)) {
    lines.push_back(
        "incomplete: " + std::to_string(job.ranks - static_cast<int>(job.recorded.size())) + " of " +
        std::to_string(job.ranks) +
        " ranks left no record (ranks of other hosts need TMPDIR on a file system that all share)");
  }
  if (!job.unfinished.empty())
    lines.push_back("incomplete: ended without MPI_Finalize: rank " + listed(job.unfinished) +
                    " (what was done before is counted)");
  if (job.others != 0)
    lines.push_back("incomplete: " + std::to_string(job.others) + " calls (" +
                    seconds_text(job.others_seconds) +
                    ") are missing, as they came from more places than are kept");
  return lines;
}

std::string as_text(const DoctorReport& report, std::size_t top) {
  std::string text;
  for (const std::string& line : headlines(report)) text += "typewarp doctor: " + line + "\n";
  const auto worth = [](const Diagnosis& of) { return !of.cure.empty(); };
  const auto found = static_cast<std::size_t>(std::ranges::count_if(report.sites, worth));
  if (found == 0) return text;
  text += "     lost       now predicted  waits     calls   pieces    bytes  call\n";
  std::size_t told = 0;
  for (const Diagnosis& of : report.sites) {
    if (!worth(of)) continue;
    if (told++ == top) break;
    text += row(of) + details(of);
  }
  if (found > top)
    text += "and " + std::to_string(found - top) + " more: --top " + std::to_string(found) + "\n";
  return text +
         "Times are sums over ranks. waits: of the time now, in calls that wait for these messages.\n"
         "predicted: " +
         how_it_is_predicted + "\n";
}

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
