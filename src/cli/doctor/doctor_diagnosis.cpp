// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_report.hpp"

#include "cli/doctor/doctor_prediction.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>

namespace typewarp::cli {
namespace {

/// When something is reported.
struct Thresholds {
  double lost = 0.01;                       ///< of the time of all ranks between MPI_Init and MPI_Finalize
  std::int64_t made = 10;                   ///< datatypes that were made for calls of one site,
  double made_of_calls = 0.5;               ///< and their share in the calls
  std::int64_t in_a_row = 16;               ///< blocking sends at one site, with no other call between,
  double in_a_row_of_calls = 0.5;           ///< and their share in the calls
  std::int64_t short_piece_of_file = 4096;  ///< bytes: independent access to shorter ones pays for each
};
constexpr Thresholds thresholds;

std::string with_unit(double value, const char* unit) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), value < 10 ? "%.1f %s" : "%.0f %s", value, unit);
  return text.data();
}

std::string pieces_of(const SiteSide& side) {
  return std::to_string(side.pieces) + " pieces of " +
         bytes_text(static_cast<double>(side.bytes) / static_cast<double>(side.pieces));
}

/// The side with more pieces.
const SiteSide& cut_up(const CallSite& site) {
  return site.sent.pieces >= site.received.pieces ? site.sent : site.received;
}

bool sends_in_a_row(const CallSite& site) {
  const bool blocks = site.call == "MPI_Send" || site.call == "MPI_Ssend" || site.call == "MPI_Send_c" ||
                      site.call == "MPI_Ssend_c";
  return blocks && site.has_gaps() && site.totals.repeats >= thresholds.in_a_row &&
         static_cast<double>(site.totals.repeats) >=
             thresholds.in_a_row_of_calls * static_cast<double>(site.totals.calls);
}

bool makes_types(const CallSite& site) {
  return site.totals.datatypes_made >= thresholds.made &&
         static_cast<double>(site.totals.datatypes_made) >=
             thresholds.made_of_calls * static_cast<double>(site.totals.calls);
}

bool reads_short_pieces(const CallSite& site) {
  const bool independent = site.call.starts_with("MPI_File_") &&
                           site.call.find("_all") == std::string::npos &&
                           site.call.find("_ordered") == std::string::npos;
  return independent && site.view.has_gaps() &&
         site.view.bytes < thresholds.short_piece_of_file * site.view.pieces;
}

std::string cure_of_packing(const Diagnosis& of) {
  const CallSite& site = of.site;
  const std::string share = seconds_text(of.lost) + " of " + seconds_text(site.totals.seconds());
  if (site.device) return share + " is the MPI's handling of GPU memory: run under 'typewarp run --'";
  return share + " is packing by the MPI, of " + pieces_of(cut_up(site)) +
         " a call: run under 'TYPEWARP_TAKE=derived typewarp run --'";
}

std::string cure(const Diagnosis& of, double all_seconds) {
  const CallSite& site = of.site;
  std::vector<std::string> lines;
  if (of.lost >= thresholds.lost * all_seconds) lines.push_back(cure_of_packing(of));
  if (sends_in_a_row(site))
    lines.push_back("blocking sends one by one, of " + pieces_of(site.sent) +
                    ": send one vector of this datatype");
  if (makes_types(site)) {
    lines.push_back("a new datatype for " + std::to_string(site.totals.datatypes_made) + " of " +
                    std::to_string(site.totals.calls) + " calls: make and commit it once");
  }
  if (reads_short_pieces(site)) {
    lines.push_back("independent access to " + pieces_of(site.view) +
                    " of a file: use the collective call with _all in its name");
  }
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

/// nullopt also if there is no memory to measure in.
std::optional<PredictedCall> predicted(Prediction& prediction, const CallSite& site) {
  try {
    return prediction.call(site);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0";
  if (seconds >= 1) return with_unit(seconds, "s");
  return seconds >= 1e-3 ? with_unit(seconds * 1e3, "ms") : with_unit(seconds * 1e6, "us");
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return std::to_string(static_cast<std::int64_t>(bytes + 0.5)) + " B";
  if (bytes < 1e6) return with_unit(bytes * 1e-3, "kB");
  return bytes < 1e9 ? with_unit(bytes * 1e-6, "MB") : with_unit(bytes * 1e-9, "GB");
}

std::vector<Diagnosis> diagnose(const JobRecord& job) {
  Prediction prediction(job.sites);
  std::vector<Diagnosis> all;
  for (const CallSite& site : job.sites) {
    Diagnosis made{site, site.totals.seconds(), 0, {}};
    if (const auto call = predicted(prediction, site)) {
      const double saved = std::clamp(site.totals.fast - call->seconds, 0.0, call->most_saved);
      made.lost = static_cast<double>(site.totals.calls) * saved;
      made.lost = std::min(made.lost, site.totals.seconds());
      made.predicted = site.totals.seconds() - made.lost;
    }
    made.cure = cure(made, job.seconds);
    all.push_back(std::move(made));
  }
  std::ranges::stable_sort(all, [](const Diagnosis& a, const Diagnosis& b) {
    return a.lost != b.lost ? a.lost > b.lost : a.site.totals.seconds() > b.site.totals.seconds();
  });
  return all;
}

}  // namespace typewarp::cli
