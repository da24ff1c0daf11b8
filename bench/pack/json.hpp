// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace typewarp::bench {

/// A JSON object being written. By hand, since this program has to build where no JSON library is installed.
class JsonObject {
 public:
  JsonObject& add(std::string_view key, double value);
  JsonObject& add(std::string_view key, std::int64_t value);
  JsonObject& add(std::string_view key, std::string_view value);
  JsonObject& add(std::string_view key, const JsonObject& value);

  bool empty() const noexcept { return members_.empty(); }
  std::string text() const { return std::string("{").append(members_).append("}"); }

 private:
  JsonObject& raw(std::string_view key, const std::string& value);

  std::string members_;
};

}  // namespace typewarp::bench
