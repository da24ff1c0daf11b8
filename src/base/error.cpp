// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/error.hpp>

namespace typewarp {

namespace {

std::string joined(std::string_view call, std::string_view argument, std::string_view value,
                   std::string_view rule) {
  std::string text;
  text.append(call).append(": ").append(argument).append(" = ").append(value).append(": ").append(rule);
  return text;
}

std::string failed(std::string_view call, std::string_view description) {
  return std::string(call).append(": ").append(description);
}

}  // namespace

InvalidArgument::InvalidArgument(std::string_view call, std::string_view argument, std::string_view value,
                                 std::string_view rule)
    : Error(joined(call, argument, value, rule)), argument_(argument) {}

InvalidArgument::InvalidArgument(std::string_view call, std::string_view argument, long long value,
                                 std::string_view rule)
    : InvalidArgument(call, argument, std::to_string(value), rule) {}

GpuError::GpuError(std::string_view call, int code, std::string_view description)
    : Error(failed(call, description)), code_(code) {}

MpiError::MpiError(std::string_view call, int code, int error_class, std::string_view description,
                   bool raised)
    : Error(failed(call, description)), code_(code), error_class_(error_class), raised_(raised) {}

}  // namespace typewarp
