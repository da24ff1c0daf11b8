// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_record.hpp"

#include <string>
#include <vector>

namespace typewarp::cli {

/// A site, and what is said of it. Times are sums over ranks, in seconds.
struct Diagnosis {
  CallSite site;
  double predicted = 0;  ///< of the calls with Typewarp; as now where it changes nothing
  double lost = 0;       ///< now, more than predicted
  std::string cure;      ///< one line; empty where there is nothing to mend
};

/// Of all sites: what loses most first, then what takes most time.
std::vector<Diagnosis> diagnose(const JobRecord& job);

/// "1.2 s", "34 ms", "5.6 us", or "0".
std::string seconds_text(double seconds);
/// "12 B", "3.4 MB".
std::string bytes_text(double bytes);

}  // namespace typewarp::cli
