// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the calls of the C interface return. A call that fails stores no results. Null pointers are
// refused, except where the documentation gives them a meaning, and in calls that free, which then do
// nothing. Choices for which C++ has enumerations are ints.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_result {
  TW_SUCCESS = 0,
  TW_ERR_ARGUMENT,      ///< tw_error_argument() names it, and so does the text
  TW_ERR_DISAGREEMENT,  ///< the arguments of the processes do not match; all of them get it
  TW_ERR_TIME_LIMIT,    ///< a wait gave up
  TW_ERR_MEMORY,        ///< no host memory is left
  TW_ERR_GPU,
  TW_ERR_MPI,
  TW_ERR_OTHER,  ///< for instance calls out of order
} tw_result;

// About the last call that failed in this thread; calls that succeed change nothing. Pointers are valid until
// the next call fails.

/// Why it failed; empty if no call has.
const char* tw_error_text(void);
/// The wrong argument, as spelled in the header; for an entry of an array "name[i]". Empty if the
/// result was not TW_ERR_ARGUMENT.
const char* tw_error_argument(void);
/// For TW_ERR_MPI the MPI's error code, for TW_ERR_GPU that of the GPU's runtime, such as a cudaError_t, for
/// TW_ERR_TIME_LIMIT the awaited rank; else 0.
int tw_error_code(void);

#ifdef __cplusplus
}
#endif
