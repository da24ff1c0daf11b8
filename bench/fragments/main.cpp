// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Times one message over the length of its fragments, what fragments take in each stage, and what the model
// of a pipeline says of the first by the second.

#include "stages.hpp"

#include <typewarp/p2p.hpp>
#include <typewarp/session.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace typewarp::fragments {
namespace {

constexpr int tag = 4;

harness::JsonObject described(const Item& item) {
  return harness::JsonObject()
      .add("case", "vector-8")
      .add("memory", harness::name(item.place))
      .add("method", name(item.method))
      .add("size", item.bytes)
      .add("fragment", item.fragment)
      .add("index", item.index);
}

/// A profile under which device fragments have a length, for as long as it lives.
class ForcedProfile {
 public:
  explicit ForcedProfile(const Item& item)
      : file_(std::filesystem::temp_directory_path() / ("bench_fragments." + std::to_string(::getpid()))) {
    std::ofstream(file_) << "direct.pieces_from = 0\ndirect.sectors_rate = 1\ndirect.long_runs_rate = 1\n"
                         << "direct.piece_scale = " << item.fragment * item.fragment / item.bytes << '\n';
    if (const char* const set = std::getenv(variable)) before_ = set;
    setenv(variable, file_.c_str(), 1);
  }
  ForcedProfile(const ForcedProfile&) = delete;
  ForcedProfile& operator=(const ForcedProfile&) = delete;
  ~ForcedProfile() {
    before_ ? setenv(variable, before_->c_str(), 1) : unsetenv(variable);
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }

 private:
  static constexpr const char* variable = "TYPEWARP_PROFILE";
  std::string file_;
  std::optional<std::string> before_;  ///< the caller's
};

SessionOptions options_for(const Item& item) {
  constexpr std::int64_t chunks = 8;  // four each way are under way
  if (item.method == Method::direct) return {.protocol = Protocol::direct};
  SessionOptions options{.protocol = Protocol::pipelined};
  if (item.built_in) return options;
  options.chunk_bytes = item.fragment;
  options.pool_bytes = std::max(options.pool_bytes, chunks * item.fragment);
  return options;
}

class Runner {
 public:
  Runner(const harness::Start& start, const Options& options, const std::vector<Item>& items)
      : peers_(start.peers), rows_(start.peers, options) {
    std::int64_t longest = 0;
    std::int64_t needed = 0;
    for (const Item& item : items) {
      longest = std::max(longest, item.fragment);
      needed = std::max(needed, harness::Buffers::needed(normalise(blocks(item.bytes))));
    }
    const Place place = items.front().place;
    buffers_.allocate(place, needed);
    pair_ = {place, place};
    if (place == Place::device) stream_ = harness::device::make_stream();
    stages_.emplace(peers_, place, longest);
  }

  /// The number of rows with wrong bytes.
  int run(const std::vector<Item>& items) {
    return rows_.run(items, described, [this](const Item& item) {
      if (item.method == Method::pipelined || item.method == Method::direct) return message(item);
      const double seconds = peers_.told(rows_.seconds_for_a_row());
      print(item, stages_->measure(item, buffers_.from(pair_), stream_.get(), seconds), std::nullopt);
    });
  }

 private:
  void message(const Item& item) {
    std::optional<ForcedProfile> profile;
    if (item.method == Method::direct && !item.built_in) profile.emplace(item);
    const Session session(peers_.comm, options_for(item));
    const Plan plan = commit(blocks(item.bytes));
    std::byte* const from = buffers_.from(pair_);
    std::byte* const to = buffers_.to(pair_);
    const Stream stream = stream_.get();
    const harness::Way way{[&] { send(from, 1, plan, peers_.other(), tag, peers_.comm, stream); },
                           [&] { recv(to, 1, plan, peers_.other(), tag, peers_.comm, stream); }};
    const auto round = [&] { way.round(peers_.rank); };
    const std::string complaint = verify(plan.layout(), round);
    if (!complaint.empty()) return rows_.fail(described(item), complaint);
    const harness::Sample sample = harness::measure(peers_, round, peers_.told(rows_.seconds_for_a_row()));
    print(item, sample, item.method == Method::direct ? predict_direct(item) : stages_->predict(item));
  }

  /// The same text in both ranks: what is wrong in either.
  std::string verify(const Layout& layout, const std::function<void()>& round) {
    const auto checks = pair_.from == Place::device ? harness::device::checks(layout, layout)
                                                    : harness::checks_on_host(layout, layout);
    const auto seed = [&](int rank, int side) { return seed_ + static_cast<std::uint64_t>(2 * rank + side); };
    checks->fill_source(buffers_.from(pair_), pair_.from, seed(peers_.rank, 0));
    checks->fill_destination(buffers_.to(pair_), pair_.to, seed(peers_.rank, 1));
    MPI_Barrier(peers_.comm);
    round();
    const std::string mine =
        checks->wrong(buffers_.to(pair_), pair_.to, seed(peers_.other(), 0), seed(peers_.rank, 1));
    seed_ += 4;
    if (peers_.agree(mine.empty())) return "";
    return mine.empty() ? "wrong bytes in the other rank" : mine;
  }

  void print(const Item& item, const harness::Sample& sample,
             const std::optional<Stages::Prediction>& predicted) const {
    if (peers_.rank != 0) return;
    harness::JsonObject row = described(item);
    row.add("built_in", item.built_in ? "yes" : "no");
    harness::add(row, sample);
    if (predicted) row.add("predicted_us", predicted->us).add("paper_us", predicted->paper_us);
    harness::print(row);
  }

  harness::Peers peers_;
  harness::Rows rows_;
  harness::Buffers buffers_;
  Pair pair_{};
  std::shared_ptr<CUstream_st> stream_;
  std::optional<Stages> stages_;
  std::uint64_t seed_ = 1;
};

int run(const Options& options) {
  const harness::Start start = harness::start(options);
  const std::vector<Item> items = harness::asked_for(agenda(options, start.gpus), options);
  if (options.list) {
    harness::list(items, start.peers);
    return 0;
  }
  harness::announce(start);
  return items.empty() ? 0 : Runner(start, options, items).run(items);
}

}  // namespace
}  // namespace typewarp::fragments

int main(int argc, char** argv) {
  using namespace typewarp::fragments;
  return typewarp::harness::main_of("bench_fragments", argc, argv,
                                    [](const auto& arguments) { return run(parse(arguments)); });
}
