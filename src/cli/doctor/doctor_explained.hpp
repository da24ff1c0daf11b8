// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/doctor/doctor_report.hpp"

#include <string>

namespace typewarp::cli {

/// What `typewarp explain` says of the layouts with gaps of the `most` sites that lose most, as they were
/// caught in the run: for the GPU of this machine where the site had GPU memory, else for the host. Ends with
/// a newline.
std::string explained(const DoctorReport& report, std::size_t most);

}  // namespace typewarp::cli
