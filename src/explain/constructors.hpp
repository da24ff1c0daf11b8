// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/datatype.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

/// Constructors by name, for whoever reads datatypes from text.
namespace typewarp::explanation {

/// What was read: a number, a word that stands for a named type or a keyword, a list, or a datatype.
struct Value {
  std::variant<std::int64_t, std::string, std::vector<Value>, Datatype> what;
  std::int64_t place;  ///< where it was read; the reader knows what that means
};

struct ExpressionArgument {
  std::string name;  ///< empty: by its position
  Value value;
};

/// Something read breaks a rule.
struct Refusal : std::runtime_error {
  Refusal(std::int64_t at, const std::string& text) : std::runtime_error(text), place(at) {}
  std::int64_t place;
};

bool is_constructor(std::string_view name) noexcept;
/// Throws Refusal; `place` is that of the name.
Datatype construct(const std::string& name, std::vector<ExpressionArgument> arguments, std::int64_t place);
/// A datatype, or a word that names one. Throws Refusal.
Datatype type_of(const Value& value);

}  // namespace typewarp::explanation
