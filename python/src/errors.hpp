// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace typewarp::python {

/// Makes the classes of errors in typewarp._core.
void define_errors(nanobind::module_& core);

/// Errors of C++ that leave this module become those of typewarp._core.
void translate_errors(const nanobind::module_& core);

}  // namespace typewarp::python
