// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What the programs in C say of themselves: each prints "as expected" at its end if all that it checked is
// so.
#pragma once

#include <typewarp/result.h>

#include <stdio.h>
#include <string.h>

static int failures;

static inline void check(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  printf("%s:%d: not so: %s (last error: %s)\n", file, line, what, tw_error_text());
}

/// `text` is a call, which must have named `argument`, and itself.
static inline void check_refused(tw_result result, const char* text, const char* argument, const char* file,
                                 int line) {
  const size_t name = strcspn(text, "(");
  const char* const said = tw_error_text();
  const size_t length = strlen(argument);
  const int named = strncmp(said, text, name) == 0 && strncmp(said + name, ": ", 2) == 0 &&
                    strncmp(said + name + 2, argument, length) == 0 &&
                    strncmp(said + name + 2 + length, " = ", 3) == 0;
  const int refused = result == TW_ERR_ARGUMENT && strcmp(tw_error_argument(), argument) == 0 &&
                      tw_error_code() == 0 && named;
  if (refused) return;
  ++failures;
  printf("%s:%d: %s: result %d, argument '%s', text '%s': expected %s to be refused\n", file, line, text,
         (int)result, tw_error_argument(), said, argument);
}

#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
#define SUCCEEDS(call) check((call) == TW_SUCCESS, #call, __FILE__, __LINE__)
#define REFUSED(argument, call) check_refused(call, #call, argument, __FILE__, __LINE__)

static inline int finish(void) {
  if (failures == 0) printf("as expected\n");
  return failures != 0;
}
