// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "view.hpp"

#include <typewarp/stream.hpp>

#include <chrono>
#include <span>
#include <string>
#include <utility>

namespace typewarp::python {

/// Throws nanobind::value_error that names `argument`, as all checks of what calls are given do.
[[noreturn]] void refuse(const char* argument, const std::string& what);

/// That it may be written: not read-only, and no byte belongs to two of its elements.
void check_writable(const char* argument, const View& view);
/// That shape and strides describe it.
void check_strided(const char* argument, const View& view);
/// That it has no gaps, and as many bytes as the other side.
void check_packed(const char* argument, const View& view, std::int64_t bytes);
/// That its elements are of the source's type, or of one that needs no conversion.
void check_element_type(const char* argument, const View& view, const View& source);
/// The same, and that it has as many elements as the source.
void check_elements(const char* argument, const View& view, const View& source);
/// That no byte of it belongs to the source, elsewhere.
void check_apart(const char* argument, const View& view, const View& source);
/// That this build can reach it.
void check_reachable(const char* argument, const View& view);

Stream stream_of(std::uintptr_t handle);

/// In whole milliseconds. 0 is no limit, so what is above it is at least one. Throws nanobind::value_error
/// that names `time_limit`.
std::chrono::milliseconds time_limit_of(double seconds);

/// Calls `move`. Other threads of Python run meanwhile if that may take long: where a GPU is involved, whose
/// driver may wait, and where the host moves many bytes.
template <typename Move>
void moved(std::initializer_list<const View*> views, Move&& move) {
  // On the host about 3 us of work, much more than the interpreter costs to take back where nobody has it.
  constexpr std::int64_t many = 32768;
  bool long_lasting = false;
  for (const View* view : views)
    long_lasting = long_lasting || view->array().place != Place::host || view->bytes() >= many;
  if (!long_lasting) return std::forward<Move>(move)();
  const nanobind::gil_scoped_release release;
  std::forward<Move>(move)();
}

}  // namespace typewarp::python
