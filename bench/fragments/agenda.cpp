// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "agenda.hpp"

#include "transport/tuning/profile.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace typewarp::fragments {
namespace {

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t mebi = kibi * kibi;
constexpr std::array<std::int64_t, 3> sizes{4 * mebi, 64 * mebi, 256 * mebi};
constexpr std::int64_t shortest = 64 * kibi;
constexpr std::int64_t longest = 64 * mebi;
constexpr const char* usage =
    "usage: bench_fragments_<mpi>, on 2 ranks [--most BYTES]\n"
    "Times messages over the length of their fragments, and prints a JSON object a line. "
    "bench/fragments/run.py runs it.\n";

class Agenda {
 public:
  Agenda(const Options& options, int gpus)
      : filter_(harness::compiled(options.filter)), place_(gpus > 0 ? Place::device : Place::host) {}

  void add(Method method, std::int64_t bytes, std::int64_t fragment, bool built_in = false) {
    Item item{next_++, method, place_, bytes, fragment, built_in};
    if (std::regex_search(item.text(), filter_)) items_.push_back(std::move(item));
  }
  std::vector<Item> take() { return std::move(items_); }

 private:
  std::regex filter_;
  Place place_;
  std::int64_t next_ = 0;
  std::vector<Item> items_;
};

}  // namespace

const char* name(Method method) noexcept {
  constexpr std::array names{"pack", "carry", "unpack", "pipelined", "direct"};
  return names[static_cast<std::size_t>(method)];
}

std::string Item::text() const {
  return std::string(name(method)) + "/" + harness::name(place) + "/" + std::to_string(bytes) + "/" +
         std::to_string(fragment);
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  harness::parse(options, {{"--most", &options.most}}, arguments, usage);
  return options;
}

Datatype blocks(std::int64_t bytes) {
  constexpr std::int64_t stride = 8;
  return vector(bytes / Datatype(Named::double_).size(), 1, stride, Named::double_);
}

std::vector<Item> agenda(const Options& options, int gpus) {
  Agenda result(options, gpus);
  const transport::Profile built_in;
  for (std::int64_t fragment = shortest; fragment <= std::min(longest, options.most); fragment *= 2) {
    for (const Method stage : {Method::pack, Method::carry, Method::unpack}) {
      result.add(stage, fragment, fragment);
    }
  }
  for (const std::int64_t bytes : sizes) {
    if (bytes > options.most) continue;
    result.add(Method::pipelined, bytes, std::min(bytes, built_in.chunk_bytes), true);
    if (gpus > 1) {
      result.add(Method::direct, bytes,
                 built_in.direct.fragment_length(bytes, built_in.direct.fragment_bytes), true);
    }
    for (std::int64_t fragment = shortest; fragment <= std::min(bytes, longest); fragment *= 2) {
      result.add(Method::pipelined, bytes, fragment);
      // The scale that makes fragments so long has a least value, and they have a greatest one.
      const bool can = fragment * fragment / bytes >= 4 * kibi && fragment <= built_in.direct.fragment_bytes;
      if (gpus > 1 && can) result.add(Method::direct, bytes, fragment);
    }
  }
  return result.take();
}

}  // namespace typewarp::fragments
