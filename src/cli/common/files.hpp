// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace typewarp::cli {

bool is_file(const std::string& name);
/// All of it. Throws UsageError.
std::string content_of(const std::string& file);
/// What is written is whole, or not there: beside its place first. Its folder is made. Throws UsageError,
/// which names `option`.
void write_whole(const std::string& file, const std::string& text, const std::string& option);

}  // namespace typewarp::cli
