// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "json.hpp"

#include <array>
#include <cstdio>

namespace typewarp::bench {
namespace {

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // no control character may stand in a string
  }
  return result + '"';
}

}  // namespace

JsonObject& JsonObject::raw(std::string_view key, const std::string& value) {
  if (!members_.empty()) members_ += ", ";
  members_.append(quoted(key)).append(": ").append(value);
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return raw(key, text.data());
}

JsonObject& JsonObject::add(std::string_view key, std::int64_t value) {
  return raw(key, std::to_string(value));
}
JsonObject& JsonObject::add(std::string_view key, std::string_view value) { return raw(key, quoted(value)); }
JsonObject& JsonObject::add(std::string_view key, const JsonObject& value) { return raw(key, value.text()); }

}  // namespace typewarp::bench
