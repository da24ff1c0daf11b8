// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the calls of the C interface return.

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_result {
  TW_SUCCESS = 0,
  TW_ERR_ARGUMENT,      ///< the text names it
  TW_ERR_DISAGREEMENT,  ///< what the processes have given does not fit together; in all of them
  TW_ERR_TIME_LIMIT,    ///< a wait gave up
  TW_ERR_MEMORY,        ///< there is none left, of the host
  TW_ERR_GPU,
  TW_ERR_MPI,
  TW_ERR_OTHER,  ///< as calls out of order
} tw_result;

/// Why the last call that failed in this thread did so; empty if none has. Valid until the next one fails.
const char* tw_error_text(void);

#ifdef __cplusplus
}
#endif
