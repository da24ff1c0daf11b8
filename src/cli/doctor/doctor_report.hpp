// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_record.hpp"

#include <string>
#include <vector>

namespace typewarp::cli {

/// A site and its diagnosis. Times are sums over ranks, in seconds.
struct Diagnosis {
  CallSite site;
  double predicted = 0;  ///< time with Typewarp; equal to the present time if it changes nothing
  double lost = 0;       ///< present time less the predicted one
  std::string cure;      ///< one line; empty if there is nothing to improve
};

/// Diagnoses all sites, ordered by lost time, then by time.
std::vector<Diagnosis> diagnose(const JobRecord& job);

/// "1.2 s", "34 ms", "5.6 us", or "0".
std::string seconds_text(double seconds);
/// "12 B", "3.4 MB".
std::string bytes_text(double bytes);

struct DoctorReport {
  std::string command;
  int exit_status = 0;
  JobRecord job;  ///< whose sites are in `sites`
  std::vector<Diagnosis> sites;
};

/// The first lines of a report: what was seen of the job, what is incomplete, and the result.
std::vector<std::string> headlines(const DoctorReport& report);

/// For a terminal: a table of the `top` sites that lose most, and their cures. Ends with a newline.
std::string as_text(const DoctorReport& report, std::size_t top);
/// The output of `typewarp explain` for the noncontiguous layouts of the `most` sites that lose most: for the
/// GPU of this machine if the site had GPU memory, else for the host. Ends with a newline.
std::string explained(const DoctorReport& report, std::size_t most);
/// All sites. Times are in seconds and sums over ranks.
std::string as_json(const DoctorReport& report);
/// A page in one self-contained file.
std::string as_html(const DoctorReport& report);

}  // namespace typewarp::cli
