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

}  // namespace typewarp::cli
