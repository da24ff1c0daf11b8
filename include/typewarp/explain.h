// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How a datatype is handled, for C programs (explain.hpp; docs/guide/explain.md).

#include <typewarp/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Which engines to explain.
enum { TW_EXPLAIN_ALL, TW_EXPLAIN_GPU, TW_EXPLAIN_HOST };

/// Zeros are the defaults (typewarp::ExplainOptions).
typedef struct tw_explain_options {
  const char* machine;  ///< whose rates give the floors: "h200" or "h100"; null: ExplainOptions::machine
  int engines;          ///< TW_EXPLAIN_ALL, ...
  int measure;          ///< 1: moves the bytes and times it, with memory for the span and the packed bytes
  int device;           ///< the device whose memory is measured, if there is a GPU
} tw_explain_options;

/// The explanation of `count` items of a plan (typewarp::Explanation). Any number of threads may read it at
/// once.
typedef struct tw_explanation tw_explanation;

/// Needs neither GPU nor MPI. The plan may be freed afterwards. `options` null: the defaults; they are not
/// kept. The caller frees `*explanation`. TW_ERR_OTHER in a build that had no nlohmann/json.hpp.
tw_result tw_explain(const tw_plan* plan, int64_t count, const tw_explain_options* options,
                     tw_explanation** explanation);
void tw_explanation_free(tw_explanation* explanation);
/// The text that `typewarp explain` prints. It lives as long as the explanation, and must not be freed. Null,
/// with an error, if `explanation` is null.
const char* tw_explanation_text(const tw_explanation* explanation);
/// The same as JSON.
const char* tw_explanation_json(const tw_explanation* explanation);

/// A picture of where the bytes of `count` items are, as SVG text, stored as by tw_datatype_to_string().
/// Fails like tw_explain().
tw_result tw_picture_svg(const tw_plan* plan, int64_t count, char* text, int64_t capacity, int64_t* length);

#ifdef __cplusplus
}
#endif
