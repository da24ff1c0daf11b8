// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_diagnosis.hpp"

#include <string>
#include <vector>

namespace typewarp::cli {

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
