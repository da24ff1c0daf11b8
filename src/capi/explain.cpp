// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.h>

#include "capi/arguments.hpp"

#include <typewarp/explain.hpp>

#include <stdexcept>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_explanation {
  static constexpr const char* name = "explanation";
  std::string text, json;
};

static_assert(sizeof(tw_explain_options) == 24);

namespace {

#ifdef TYPEWARP_HAS_EXPLAIN
ExplainOptions options_of(const char* call, std::int64_t count, const tw_explain_options& options) {
  enum class Engines { all = TW_EXPLAIN_ALL, gpu = TW_EXPLAIN_GPU, host = TW_EXPLAIN_HOST };
  const Engines engines = choice(call, "options.engines", options.engines, Engines::host);
  const std::string machine = options.machine == nullptr ? "" : options.machine;
  if (!machine.empty() && !GpuRates::recorded(machine))
    throw InvalidArgument(call, "options.machine", machine, "must be h200 or h100");
  return {.count = count,
          .gpu = engines != Engines::host,
          .host = engines != Engines::gpu,
          .machine = machine,
          .measure = options.measure != 0,
          .device = options.device};
}

tw_explanation explained(const char* call, const Plan& plan, std::int64_t count,
                         const tw_explain_options& options) {
  const Explanation explanation = explain(plan, options_of(call, count, options));
  return {explanation.to_string(), explanation.to_json()};
}

std::string picture(const char*, const Plan& plan, std::int64_t count) { return picture_svg(plan, count); }
#else
[[noreturn]] void missing(const char* call) {
  throw std::logic_error(std::string(call) + ": is not in this build, which found no nlohmann/json.hpp");
}

tw_explanation explained(const char* call, const Plan&, std::int64_t, const tw_explain_options&) {
  missing(call);
}

std::string picture(const char* call, const Plan&, std::int64_t) { missing(call); }
#endif

/// Null if there is no explanation.
const char* words_of(const char* call, const tw_explanation* explanation,
                     std::string tw_explanation::* words) {
  const char* said = nullptr;
  guarded(call, [&] {
    require(explanation, call, "explanation");
    said = (explanation->*words).c_str();
  });
  return said;
}

}  // namespace

tw_result tw_explain(const tw_plan* plan, int64_t count, const tw_explain_options* options,
                     tw_explanation** explanation) {
  return create(__func__, explanation, [&](const char* call) {
    return explained(call, value_of(call, plan), count, options == nullptr ? tw_explain_options{} : *options);
  });
}

void tw_explanation_free(tw_explanation* explanation) { delete explanation; }

const char* tw_explanation_text(const tw_explanation* explanation) {
  return words_of(__func__, explanation, &tw_explanation::text);
}

const char* tw_explanation_json(const tw_explanation* explanation) {
  return words_of(__func__, explanation, &tw_explanation::json);
}

tw_result tw_picture_svg(const tw_plan* plan, int64_t count, char* text, int64_t capacity, int64_t* length) {
  return guarded(__func__, [&](const char* call) {
    store(call, picture(call, value_of(call, plan), count), text, capacity, length);
  });
}
