// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What packing and the work of an application cost each other on one GPU, in one process or in two.

#include "agenda.hpp"
#include "application.hpp"
#include "bound.hpp"
#include "local.hpp"
#include "mover.hpp"
#include "partner.hpp"

#include "harness/arguments.hpp"
#include "rates.hpp"

#include <typewarp/explain.hpp>

#include <iostream>
#include <optional>

namespace typewarp::contention {
namespace {

using bench::JsonObject;

constexpr const char* usage =
    "usage: bench_contention [--filter REGEX] [--from INDEX] [--seconds S] [--two-processes] [--list]\n"
    "Times packing and an application's work on a GPU, alone and at once. Rows are\n"
    "application/case/memory/direction/method.\n";

struct Options {
  std::string filter;
  std::int64_t from = 0;
  double seconds = 600;
  bool two_processes = false;
  bool list = false;
};

void print(const JsonObject& object) { std::cout << object.text() << '\n' << std::flush; }

/// The application in this process, or in its partner's.
class Here : public Worker {
 public:
  void assign(Work work, std::int64_t units) override {
    side_.assign([this, work, units](cudaStream_t stream) { application_.enqueue(work, units, stream); });
  }
  Local& side() override { return side_; }
  const Application& application() const { return application_; }

 private:
  Application application_;
  Local side_;
};

/// Makes work as long as it is wanted to be.
class Worked {
 public:
  explicit Worked(Partner* partner) : partner_(partner) {
    if (partner_ == nullptr) here_ = std::make_unique<Here>();
  }

  Side& side() { return partner_ != nullptr ? static_cast<Side&>(*partner_) : here_->side(); }
  /// Null if the work is another process's.
  const Local* local() { return here_ ? &here_->side() : nullptr; }

  /// Assigns work that takes about so long alone. Its units. Throws Error if it computes wrongly.
  std::int64_t assign(Work work, double microseconds) {
    const auto units = std::max<std::int64_t>(1, std::llround(microseconds * units_per_us(work)));
    assign(work, units);
    return units;
  }

 private:
  void assign(Work work, std::int64_t units) {
    partner_ != nullptr ? partner_->assign(work, units) : here_->assign(work, units);
  }
  /// By two lengths, so that what a launch takes is no part of it.
  double units_per_us(Work work) {
    double& rate = rates_.at(static_cast<std::size_t>(work));
    if (rate > 0) return rate;
    // Copies go through all of their buffers at most, and kernels beyond what caches hold.
    const std::int64_t units = is_kernel(work) && work != Work::resident ? 1 << 16 : 1 << 13;
    std::array<double, 2> us{};
    for (const std::size_t i : {0U, 1U}) {
      assign(work, units << (2 * i));
      us.at(i) = alone_us(side(), 5);
    }
    if (here_) {
      if (const std::int64_t wrong = here_->application().wrong(work, units); wrong > 0) {
        throw Error(std::string(name(work)) + ": computes " + std::to_string(wrong) + " elements wrongly");
      }
    }
    return rate = 3 * static_cast<double>(units) / (us[1] - us[0]);
  }

  Partner* partner_;
  std::unique_ptr<Here> here_;
  std::array<double, every_work.size()> rates_{};
};

JsonObject described(const Item& item) {
  JsonObject row;
  return row.add("index", item.index)
      .add("application", name(item.work))
      .add("case", item.subject.name)
      .add("size", item.packed_bytes())
      .add("memory", name(item.place))
      .add("direction", item.packs ? "pack" : "unpack")
      .add("method", item.method.name);
}

/// What is printed of one order. Times of one process are those of events, and of two the host's.
JsonObject row_of(JsonObject row, const Measured& measured, bool application_first, const Demand& demand,
                  const Limits& limits) {
  const Beside& beside = application_first ? measured.application_first : measured.move_first;
  const auto of = [&](const Times& times) { return measured.by_events ? times.device : times.host; };
  const double application = of(measured.application_alone);
  const double move = of(measured.move_alone);
  const double bound = bound_us(application, move, demand, limits);
  JsonObject host;
  host.add("application_alone", measured.application_alone.host)
      .add("move_alone", measured.move_alone.host)
      .add("application", beside.application.host)
      .add("move", beside.move.host)
      .add("both", beside.both.host);
  return row.add("order", application_first ? "application first" : "move first")
      .add("application_alone_us", application)
      .add("move_alone_us", move)
      .add("application_us", of(beside.application))
      .add("move_us", of(beside.move))
      .add("median_us", of(beside.both))
      .add("serial_us", application + move)
      .add("bound_us", bound)
      .add("of_better", of(beside.both) / std::min(application + move, bound))
      .add("host_us", host)
      .add("samples", std::int64_t{measured.samples})
      .add("verified", "yes");
}

/// The engine's method by the library's own account; empty where the library has no choice.
std::string chosen(const Item& item, const Plan& plan) {
  if (item.method.way != Way::library && item.method.way != Way::high_stream) return "";
  const std::string direction = item.packs ? "pack" : "unpack";
  for (const ExplainedMove& move : explain(plan, {.host = false}).moves) {
    if (move.direction == direction && move.memory == name(item.place)) return move.chosen;
  }
  return "";
}

class Study {
 public:
  Study(const bench::Rates& rates, Partner* partner)
      : limits_{rates.copy, rates.to_host, rates.to_device}, worked_(partner) {}

  /// Two rows, one for each order. Throws Error for wrong bytes.
  void measure(const Item& item) {
    Mover mover(workshop_, item);
    Local& move = item.method.way == Way::high_stream ? high_ : move_;
    move.assign([&](cudaStream_t stream) { mover.enqueue(stream); });
    mover.fill();
    const std::int64_t units = worked_.assign(item.work, application_us(alone_us(move, 3)));
    const Local* const local = worked_.local();
    const Events events = [&](bool application_first) -> ByEvents {
      const double both = both_us(*local, move);
      if (application_first) return {local->interval().device_us, behind_us(*local, move), both};
      return {behind_us(move, *local), move.interval().device_us, both};
    };
    const Measured measured = contention::measure(worked_.side(), move, local != nullptr ? events : Events());
    mover.verify();
    const Demand asked = mover.demand() + demand(item.work, units);
    const JsonObject row = described(item).add("chosen", explained(item, mover.plan()));
    for (const bool application_first : {true, false}) {
      print(row_of(row, measured, application_first, asked, limits_));
    }
  }

 private:
  /// Once for all work that a move is measured beside.
  const std::string& explained(const Item& item, const Plan& plan) {
    const auto [place, is_new] = chosen_.try_emplace(item.move_text());
    if (is_new) place->second = chosen(item, plan);
    return place->second;
  }

  Limits limits_;
  Workshop workshop_;
  Worked worked_;
  Local move_, high_{true};
  std::map<std::string, std::string> chosen_;
};

std::vector<Item> asked_for(const Options& options) {
  const std::regex filter = harness::compiled(options.filter);
  std::vector<Item> items = agenda(options.two_processes);
  std::erase_if(items, [&](const Item& item) { return !std::regex_search(item.text(), filter); });
  if (items.empty()) throw Error("--filter " + options.filter + ": matches no row");
  std::erase_if(items, [&](const Item& item) { return item.index < options.from; });
  return items;
}

/// The number of rows that failed.
int run(const Options& options) {
  const std::vector<Item> items = asked_for(options);
  if (options.list) {
    for (const Item& item : items) std::cout << item.text() << '\n';
    return 0;
  }
  const double begin = now_us();
  std::optional<Partner> partner;
  if (options.two_processes) partner.emplace([] { return std::make_unique<Here>(); });
  if (!gpu_present()) throw Error("no usable GPU");
  bench::Rates rates;
  {
    bench::Pool pool;
    rates = bench::measure_rates(pool, bench::Queue());
  }
  print(JsonObject().add("rates", rates.json()));
  Study study(rates, partner ? &*partner : nullptr);
  int failed = 0;
  for (const Item& item : items) {
    if (now_us() - begin > options.seconds * 1e6) {
      print(described(item).add("stopped", "the time was over"));
      break;
    }
    print(JsonObject().add("begin", described(item)));
    try {
      study.measure(item);
    } catch (const GpuError&) {
      throw;  // nothing works after it
    } catch (const Error& error) {
      print(described(item).add("failed", error.what()));
      ++failed;
    }
  }
  print(JsonObject().add("finished", std::int64_t{failed}));
  return failed;
}

}  // namespace
}  // namespace typewarp::contention

int main(int argc, char** argv) {
  using namespace typewarp;
  try {
    contention::Options options;
    harness::parse({{"--filter", &options.filter},
                    {"--from", &options.from},
                    {"--seconds", &options.seconds},
                    {"--two-processes", &options.two_processes},
                    {"--list", &options.list}},
                   {argv + 1, argv + argc}, contention::usage);
    return contention::run(options) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "bench_contention: " << error.what() << '\n';
    return 1;
  }
}
