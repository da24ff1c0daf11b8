// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A library that calls what it was given as the process ends, when all static objects of the program have
// ended.
void (*late_library_end)(void);

__attribute__((destructor)) static void end(void) {
  if (late_library_end) late_library_end();
}
