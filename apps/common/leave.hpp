// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace apps {

/// The program has said what there is to say: help or a wrong option.
struct Leave {
  int exit_code;
  std::string text;
};

}  // namespace apps
