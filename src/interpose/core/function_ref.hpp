// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

namespace typewarp::interpose {

template <class Signature>
class FunctionRef;

/// A function that lives at least as long: std::function_ref, which C++20 does not have. What takes one is
/// compiled once, and not once for each function; a std::function would cost each one more compilation than
/// that saves.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Function>
    requires std::is_invocable_r_v<Result, const Function&, Arguments...>
  FunctionRef(const Function& function) noexcept
      : function_(&function), call_([](const void* of, Arguments... arguments) -> Result {
          return (*static_cast<const Function*>(of))(arguments...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(function_, arguments...); }

 private:
  const void* function_;
  Result (*call_)(const void*, Arguments...);
};

}  // namespace typewarp::interpose
