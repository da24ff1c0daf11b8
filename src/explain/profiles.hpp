// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace typewarp::explanation {

/// A file of src/explain/profiles, which the build puts into the library.
struct ShippedProfile {
  std::string_view name;
  std::string_view text;
};
extern const std::span<const ShippedProfile> shipped_profiles;

}  // namespace typewarp::explanation
