// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <typewarp/error.hpp>

#include <charconv>
#include <map>
#include <variant>

namespace typewarp::pingpong {
namespace {

constexpr const char* usage =
    "usage: bench_pingpong_<mpi>, on 2 ranks [--filter REGEX] [--least BYTES] [--most BYTES] [--seconds S]\n"
    "  [--row-seconds S] [--from INDEX] [--one-gpu | --no-gpu] [--gpu-mpi] [--time-limit-ms MS] [--list]\n"
    "Times messages there and back, and prints a JSON object a line. bench/pingpong/run.py runs it.\n";

template <typename Number>
Number number(const std::string& name, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw Error(name + " " + text + ": must be a number that is not negative");
}

}  // namespace

Options parse(const std::vector<std::string>& arguments) {
  using Target = std::variant<bool*, std::int64_t*, double*, std::string*>;
  Options options;
  const std::map<std::string, Target> targets{{"--filter", &options.filter},
                                              {"--least", &options.least},
                                              {"--most", &options.most},
                                              {"--seconds", &options.seconds},
                                              {"--row-seconds", &options.row_seconds},
                                              {"--from", &options.from},
                                              {"--one-gpu", &options.one_gpu},
                                              {"--no-gpu", &options.no_gpu},
                                              {"--gpu-mpi", &options.gpu_mpi},
                                              {"--list", &options.list},
                                              {"--time-limit-ms", &options.time_limit_ms}};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto target = targets.find(name);
    if (target == targets.end()) throw Error(name + ": no such option\n" + usage);
    if (auto* const flag = std::get_if<bool*>(&target->second)) {
      **flag = true;
      continue;
    }
    if (++i == arguments.size()) throw Error(name + ": needs a value");
    if (auto* const whole = std::get_if<std::int64_t*>(&target->second)) {
      **whole = number<std::int64_t>(name, arguments[i]);
    } else if (auto* const real = std::get_if<double*>(&target->second)) {
      **real = number<double>(name, arguments[i]);
    } else {
      *std::get<std::string*>(target->second) = arguments[i];
    }
  }
  return options;
}

}  // namespace typewarp::pingpong
