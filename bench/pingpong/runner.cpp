// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include "json.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/layout.hpp>

#include <algorithm>
#include <utility>
#include <variant>

namespace typewarp::pingpong {
namespace {

namespace device = harness::device;
using harness::JsonObject;
using harness::measure;
using harness::print;
using harness::Sample;

bool is_protocol(const std::string& method) { return options_for(method).has_value(); }

JsonObject described(const Item& item) {
  return JsonObject()
      .add("case", item.case_name())
      .add("memory", name(item.pair))
      .add("method", item.method)
      .add("size", item.bytes)
      .add("index", item.index);
}

struct Message {
  Problem problem;
  Plan plan;
};

}  // namespace

struct Runner::Subject {
  std::variant<Message, Halo> what;
  Layout source, destination;
  std::unique_ptr<harness::Checks> checks;
  std::int64_t segments = 0;  ///< of 64 bytes that are touched on both sides; 0: not counted yet

  Subject(const Item& item, bool on_device) : what(made(item)) {
    if (const auto* const halo = std::get_if<Halo>(&what)) {
      source = normalise(halo->sent);
      destination = normalise(halo->received);
    } else {
      const Problem& problem = std::get<Message>(what).problem;
      source = destination = normalise(problem.type, problem.count);
    }
    checks = on_device ? device::checks(source, destination) : harness::checks_on_host(source, destination);
  }
  bool halo() const { return std::holds_alternative<Halo>(what); }
  std::int64_t touched() {
    if (segments == 0) segments = touched_segments(source, 0) + touched_segments(destination, 0);
    return segment_bytes * segments;
  }

 private:
  static std::variant<Message, Halo> made(const Item& item) {
    if (item.which == nullptr) return Halo(item.bytes);
    const Problem problem = item.which->make(item.bytes);
    return Message{problem, commit(problem.type)};
  }
};

Runner::Runner(const harness::Start& start, const Options& options, std::vector<Item> items)
    : peers_(start.peers),
      gpus_(start.gpus),
      time_limit_ms_(options.time_limit_ms),
      items_(std::move(items)),
      rows_(start.peers, options) {
  if (gpus_ > 0) {
    stream_ = device::make_stream();
    print_rates();
  }
  allocate();
}

Runner::~Runner() = default;

std::shared_ptr<Runner::Subject> Runner::subject(const Item& item) {
  const std::string key = item.case_name() + "/" + std::to_string(item.bytes);
  std::shared_ptr<Subject>& entry = subjects_[key];
  if (!entry) entry = std::make_shared<Subject>(item, gpus_ > 0);
  return entry;
}

void Runner::allocate() {
  std::int64_t host = 0;
  std::int64_t on_device = 0;
  for (const Item& item : items_) {
    const std::shared_ptr<Subject> made = subject(item);
    const std::int64_t bytes =
        std::max(harness::Buffers::needed(made->source), harness::Buffers::needed(made->destination));
    for (const Place place : {item.pair.from, item.pair.to}) {
      std::int64_t& most = place == Place::host ? host : on_device;
      most = std::max(most, bytes);
    }
  }
  if (host > 0) buffers_.allocate(Place::host, host);
  if (on_device > 0) buffers_.allocate(Place::device, on_device);
}

/// Has a transport with this protocol, or none if the method is none of the library's.
void Runner::use_protocol(const std::string& method) {
  std::optional<SessionOptions> found = options_for(method);
  const std::string wanted = found ? method : "";
  if (wanted == protocol_) return;
  session_.reset();
  protocol_ = wanted;
  unusable_.clear();
  if (!found) return;
  SessionOptions& session_options = *found;
  session_options.time_limit = std::chrono::milliseconds(time_limit_ms_);
  try {
    session_ = std::make_unique<Session>(peers_.comm, session_options);
    if (!peers_.agree(session_->possible(session_options.protocol))) {
      session_.reset();
      unusable_ = "this protocol is not possible here";
    }
  } catch (const Error& error) {
    unusable_ = error.what();  // in both ranks
  }
}

/// Empty where the method is not one for this case.
std::function<void()> Runner::round_of(const Item& item, const Subject& subject) {
  const std::byte* const from = buffers_.from(item.pair);
  std::byte* const to = buffers_.to(item.pair);
  const Stream stream = stream_.get();
  if (const auto* const halo = std::get_if<Halo>(&subject.what)) {
    if (item.method == mpi_method) return exchange_by_mpi(peers_, *halo, from, to);
    return exchange_by_library(peers_, *halo, from, to, stream);
  }
  const auto& [problem, plan] = std::get<Message>(subject.what);
  const Exchange exchange{from, to, problem.count, plan};
  Way way;
  if (item.method == mpi_method || item.method == mpi_device_method) {
    way = by_mpi(peers_, exchange);
  } else if (is_protocol(item.method)) {
    way = by_library(peers_, exchange, stream);
  } else if (problem.pitched) {
    for (HandMade& made : hand_made(peers_, *problem.pitched, from, to, hand_memory_)) {
      if (made.name == item.method) way = std::move(made.way);
    }
  }
  if (!way.send) return nullptr;
  return [way, rank = peers_.rank] { way.round(rank); };
}

/// The same text in both ranks: what is wrong in either.
std::string Runner::verify(const Subject& subject, Pair pair, const std::function<void()>& round) {
  constexpr std::uint64_t seeds_a_row = 4;
  const auto seed = [&](int rank, int side) {
    return seeds_a_row * seed_ + static_cast<std::uint64_t>(2 * rank + side) + 1;
  };
  ++seed_;
  subject.checks->fill_source(buffers_.from(pair), pair.from, seed(peers_.rank, 0));
  subject.checks->fill_destination(buffers_.to(pair), pair.to, seed(peers_.rank, 1));
  MPI_Barrier(peers_.comm);
  round();
  const std::string mine =
      subject.checks->wrong(buffers_.to(pair), pair.to, seed(peers_.other(), 0), seed(peers_.rank, 1));
  if (peers_.agree(mine.empty())) return "";
  return mine.empty() ? "wrong bytes in the other rank" : mine;
}

/// Kernels that the rank with more of them launches for one round, on average.
double Runner::launches_of(const std::function<void()>& round) const {
  constexpr int rounds = 10;
  double launches = 0;
  for (int i = 0; i < rounds; ++i) {
    MPI_Barrier(peers_.comm);
    const std::uint64_t before = kernel_launches();
    round();
    launches += static_cast<double>(kernel_launches() - before) / rounds;
  }
  MPI_Allreduce(MPI_IN_PLACE, &launches, 1, MPI_DOUBLE, MPI_MAX, peers_.comm);
  return launches;
}

void Runner::measure_copy(const Item& item) {
  Sample sample;
  if (peers_.rank == 0) {
    device::Copy copy(0, gpus_ - 1, item.bytes);
    const Peers alone{MPI_COMM_SELF, 0};
    sample = measure(alone, [&] { copy.run(); }, rows_.seconds_for_a_row()).times(2);
    device::use(0);
    print(described(item)
              .add("packed_bytes", item.bytes)
              .add("direction", "copy")
              .add("median_us", sample.median)
              .add("low_us", sample.low)
              .add("high_us", sample.high)
              .add("samples", std::int64_t{sample.samples}));
  }
  MPI_Barrier(peers_.comm);
}

void Runner::measure_row(const Item& item) {
  if (item.method == copy_method) return measure_copy(item);
  const std::shared_ptr<Subject> subject = this->subject(item);
  use_protocol(item.method);
  const bool first = peers_.rank == 0;
  if (!unusable_.empty()) {
    if (first) print(described(item).add("skipped", unusable_));
    return;
  }
  const std::function<void()> round = round_of(item, *subject);
  if (!round) return;
  const std::string complaint = verify(*subject, item.pair, round);
  if (!complaint.empty()) {
    rows_.fail(described(item), complaint);
    return;
  }
  const bool halo = subject->halo();
  const double part = halo ? 2 : 1;  // an exchange is no half of anything
  const Sample sample = measure(peers_, round, peers_.told(rows_.seconds_for_a_row())).times(part);
  const double launches = halo ? launches_of(round) : 0;
  const double bytes = static_cast<double>(subject->source.size());
  if (!first) return;
  JsonObject row = described(item);
  row.add("packed_bytes", subject->source.size()).add("direction", halo ? "exchange" : "pingpong");
  harness::add(row, sample).add("gbps", bytes / sample.median / 1e3).add("verified", "yes");
  if (halo) row.add("launches", launches);
  const bool device_only = item.pair.from == Place::device && item.pair.to == Place::device;
  if (device_only && gpus_ == 1) {
    row.add("floor_us", static_cast<double>(subject->touched()) / copy_bytes_per_us_);
  }
  print(row);
}

void Runner::print_rates() {
  if (peers_.rank == 0) {
    const device::Rates rates = device::rates();
    copy_bytes_per_us_ = rates.copy_bytes_per_us;
    print(JsonObject().add("rates", rates.json));
  }
  MPI_Barrier(peers_.comm);
}

int Runner::run() {
  const int failed = rows_.run(items_, described, [this](const Item& item) { measure_row(item); });
  session_.reset();
  return failed;
}

}  // namespace typewarp::pingpong
