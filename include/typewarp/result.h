// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the calls of the interface of C return. A call that fails stores nothing in what it would return.
// Null pointers are refused, but where they are said to stand for something, and in what frees, which then
// does nothing. Choices, which C++ has enumerations for, are ints.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_result {
  TW_SUCCESS = 0,
  TW_ERR_ARGUMENT,      ///< tw_error_argument() names it, and so does the text
  TW_ERR_DISAGREEMENT,  ///< what the processes have given does not fit together; in all of them
  TW_ERR_TIME_LIMIT,    ///< a wait gave up
  TW_ERR_MEMORY,        ///< there is none left, of the host
  TW_ERR_GPU,
  TW_ERR_MPI,
  TW_ERR_OTHER,  ///< as calls out of order
} tw_result;

// Of the last call that failed in this thread; those that succeed change nothing. Pointers are valid until
// the next one fails.

/// Why it did so; empty if none has.
const char* tw_error_text(void);
/// The argument that was wrong, as the header spells it; of one entry of an array: "name[i]". Empty if the
/// result was not TW_ERR_ARGUMENT.
const char* tw_error_argument(void);
/// Of TW_ERR_MPI the MPI's error code, of TW_ERR_GPU that of the GPU's runtime, such as a cudaError_t, of
/// TW_ERR_TIME_LIMIT the rank that was waited for; else 0.
int tw_error_code(void);

#ifdef __cplusplus
}
#endif
