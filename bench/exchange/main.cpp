// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges that streams order: a round trip of one part each way, and a halo. Each row enqueues many rounds,
// by a call each or as one graph, and then waits.

#include "parts.hpp"

#include "harness/buffers.hpp"
#include "harness/rows.hpp"

#include <array>
#include <memory>
#include <optional>
#include <regex>

namespace typewarp::exchange_bench {
namespace {

using harness::JsonObject;
using harness::Place;

constexpr int rounds = 50;

struct Item {
  std::int64_t index;
  Pattern pattern;
  DeviceWait wait;
  bool graph;
  Place place;

  bool is_halo() const { return pattern.name == "halo"; }
  const char* wait_name() const { return wait == DeviceWait::automatic ? "automatic" : "memory_operation"; }
  const char* starts() const { return graph ? "graph" : "calls"; }
  std::string text() const {
    return pattern.name + "/" + harness::name(place) + "/" + wait_name() + "/" + starts() + "/" +
           std::to_string(pattern.packed_bytes);
  }
};

JsonObject described(const Item& item) {
  JsonObject row;
  row.add("index", item.index)
      .add("case", item.pattern.name)
      .add("memory", harness::name(item.place))
      .add("method", item.wait_name())
      .add("starts", item.starts())
      .add("packed_bytes", item.pattern.packed_bytes);
  return row;
}

std::vector<Item> agenda(const harness::Options& options) {
  const std::regex filter = harness::compiled(options.filter);
  std::vector<Item> items;
  std::int64_t index = 0;
  const auto add = [&](const Pattern& pattern) {
    for (const DeviceWait wait : {DeviceWait::automatic, DeviceWait::memory_operation}) {
      for (const bool graph : {false, true}) {
        Item item{index++, pattern, wait, graph, Place::device};
        if (std::regex_search(item.text(), filter)) items.push_back(std::move(item));
      }
    }
  };
  for (const std::int64_t bytes : {std::int64_t{8}, std::int64_t{1} << 10, std::int64_t{16} << 10,
                                   std::int64_t{256} << 10, std::int64_t{1} << 20, std::int64_t{16} << 20}) {
    add(strided(bytes));
  }
  add(column(std::int64_t{1} << 20));
  add(halo(32, 2, 1));
  add(halo(128, 2, 8));
  return items;
}

/// What one rank has of an item: an exchange in which both send, or two in which they take turns.
class Subject {
 public:
  Subject(const Item& item, const harness::Peers& peers) : halo_(item.is_halo()) {
    const std::int64_t bytes = item.pattern.buffer_bytes;
    from_ = harness::allocate(item.place, bytes);
    to_ = harness::allocate(item.place, bytes);
    for (int turn = 0; turn < (halo_ ? 1 : 2); ++turn) {
      std::vector<OutgoingPart> sends;
      std::vector<IncomingPart> receives;
      if (halo_ || peers.rank == turn) {
        for (const Datatype& type : item.pattern.sends)
          sends.push_back({from_.get(), 1, commit(type), peers.other()});
      }
      if (halo_ || peers.rank != turn) {
        for (const Datatype& type : item.pattern.receives) {
          receives.push_back({to_.get(), 1, commit(type), peers.other()});
        }
      }
      exchanges_.emplace_back(mpi::ranks(peers.comm), sends, receives,
                              ExchangeOptions{std::chrono::seconds(20), item.wait});
    }
  }

  void enqueue(Stream stream) {
    for (int i = 0; i < rounds; ++i) {
      for (Exchange& exchange : exchanges_) exchange.start(stream);
    }
  }
  void wait() {
    for (Exchange& exchange : exchanges_) exchange.wait();
  }

 private:
  bool halo_;
  std::shared_ptr<std::byte> from_, to_;
  std::vector<Exchange> exchanges_;
};

int run(const harness::Options& options) {
  const harness::Start start = harness::start(options);
  const std::vector<Item> items = harness::asked_for(agenda(options), options);
  if (options.list) {
    harness::list(items, start.peers);
    return 0;
  }
  if (start.gpus == 0) throw Error("needs a GPU: without one, no stream makes the ranks take turns");
  harness::announce(start);
  const std::shared_ptr<CUstream_st> stream = harness::device::make_stream();
  harness::Rows rows(start.peers, options);
  return rows.run(items, described, [&](const Item& item) {
    Subject subject(item, start.peers);
    std::optional<harness::device::Recording> recording;
    if (item.graph) recording.emplace([&](Stream captured) { subject.enqueue(captured); });
    const auto round = [&] {
      if (recording) return recording->run();
      subject.enqueue(stream.get());
      subject.wait();
    };
    const double seconds = start.peers.told(rows.seconds_for_a_row());
    const harness::Sample sample =
        harness::measure(start.peers, round, seconds).times((item.is_halo() ? 2.0 : 1.0) / rounds);
    if (start.peers.rank != 0) return;
    JsonObject row = described(item);
    row.add("direction", item.is_halo() ? "exchange" : "pingpong");
    harness::print(harness::add(row, sample));
  });
}

}  // namespace
}  // namespace typewarp::exchange_bench

int main(int argc, char** argv) {
  using namespace typewarp;
  return harness::main_of("bench_exchange", argc, argv, [](const std::vector<std::string>& given) {
    harness::Options options;
    harness::parse(options, {}, given,
                   "usage: bench_exchange [--filter case/memory/wait/starts/bytes] [--seconds s] ...\n");
    return exchange_bench::run(options);
  });
}
