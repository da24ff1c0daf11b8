// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "runner.hpp"

#include "gpu.hpp"
#include "overlap.hpp"
#include "phases.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <utility>

namespace typewarp::halo_bench {
namespace {

using harness::JsonObject;
using harness::print;
using harness::Sample;

constexpr std::int64_t slices = 16;
/// By which the arithmetic of a stencil takes longer than its memory accesses.
constexpr int rounds = 200;

/// That are verified: one may set up what the next goes by, or use another buffer than the next.
constexpr int first_ones = 2;

/// Sectors that are written in part, as far from each other as rows of 128 cells and a halo of 2 are.
constexpr std::int64_t parts = std::int64_t{1} << 18;
constexpr std::int64_t part_distance = 132;
/// Others each time, since a cache holds so many: in other segments of 64 bytes.
constexpr std::int64_t part_line = 8;
constexpr std::int64_t part_turns = 16;

Work work_of(const std::string& method) {
  return {method == method::overlap_in_slices ? slices : 1,
          method == method::overlap_arithmetic ? rounds : 0};
}

JsonObject described(const Item& item) {
  return JsonObject()
      .add("case", item.which.name)
      .add("memory", std::string_view(name(item.place)))
      .add("method", item.method)
      .add("size", item.which.edge)
      .add("fields", item.which.fields)
      .add("width", item.which.width)
      .add("index", item.index);
}

JsonObject json(const Floors& floors) {
  return JsonObject().add("pack", floors.pack).add("wire", floors.wire).add("unpack", floors.unpack);
}

JsonObject json(const PhasesAlone& phases) {
  return JsonObject().add("pack", phases.pack).add("unpack", phases.unpack);
}

JsonObject json(const Phases& phases) {
  return JsonObject().add("pack", phases.pack).add("wire", phases.wire).add("unpack", phases.unpack);
}

}  // namespace

Runner::Runner(const harness::Start& start, const Options& options, std::vector<Item> items)
    : peers_(start.peers), gpus_(start.gpus), items_(std::move(items)), rows_(start.peers, options) {
  if (gpus_ == 0) return;
  stream_ = harness::device::make_stream();
  print_rates();
}

void Runner::print_rates() {
  if (peers_.rank == 0) {
    namespace device = harness::device;
    constexpr std::int64_t copied = std::int64_t{64} << 20;
    device::Rates rates = device::rates();
    device::Copy copy(0, gpus_ - 1, copied);
    const auto us = [](const std::function<void()>& action) {
      return 2 * harness::measure({MPI_COMM_SELF, 0}, action, 0.05).median;  // of which it gives half
    };
    const double copy_us = us([&] { copy.run(); });
    device::use(0);
    const auto parted =
        harness::allocate(Place::device, parts * part_distance * std::int64_t{sizeof(double)});
    std::int64_t turn = 0;
    const double parts_us = us([&] {
      double* const first = reinterpret_cast<double*>(parted.get()) + turn++ % part_turns * part_line;
      gpu::write_parts(first, parts, part_distance, stream_.get());
      gpu::wait(stream_.get());
    });
    limits_ = {rates.copy_bytes_per_us, rate_of(copied, copy_us, rates.launch_us),
               rate_of(parts, parts_us, rates.launch_us), rates.launch_us};
    print(JsonObject().add(
        "rates",
        rates.json.add("peer_gb_per_s", limits_.peer / 1e3).add("partial_sectors_per_us", limits_.parts)));
  }
  MPI_Barrier(peers_.comm);
}

/// Collective. By hand there is none: it keeps the other rank's memory mapped that messages have used, and
/// CUDA maps no memory twice that was freed and allocated anew meanwhile.
void Runner::use_transport(bool used) {
  if (!used) session_.reset();
  if (used && !session_) session_.emplace(peers_.comm);
}

const Subject& Runner::subject(const Item& item) {
  const std::string is = item.which.name + std::to_string(item.which.edge) + name(item.place);
  if (is != subject_is_) {
    subject_.reset();  // before more memory is taken
    subject_ = std::make_unique<Subject>(peers_, item.which, item.place, stream_.get());
    subject_is_ = is;
  }
  return *subject_;
}

/// Whether one of so many exchanges leaves wrong cells in either rank: the same in both.
bool Runner::is_wrong(const Item& item, int exchanges, const std::function<void()>& exchange,
                      const std::function<std::int64_t()>& wrong_cells) {
  for (int i = 0; i < exchanges; ++i) {
    subject_->fields.fill();
    subject_->wait();
    MPI_Barrier(peers_.comm);
    exchange();
    subject_->wait();
    std::int64_t wrong = wrong_cells();
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT64_T, MPI_SUM, peers_.comm);
    if (wrong == 0) continue;
    rows_.fail(described(item), "wrong cells: " + std::to_string(wrong));
    return true;
  }
  return false;
}

/// Of a round that is no half of anything.
Sample Runner::sample(const std::function<void()>& round, double seconds) const {
  return harness::measure(peers_, round, peers_.told(seconds)).times(2);
}

/// That the library launches on the wire: others launch none there.
double Runner::launches_on_wire(const Way& way) const {
  constexpr int rounds = 3;
  std::uint64_t launches = 0;
  for (int i = 0; i < rounds; ++i) {
    way.pack();
    const std::uint64_t before = kernel_launches();
    way.wire();
    launches += kernel_launches() - before;
    way.unpack();
    subject_->wait();
  }
  return static_cast<double>(launches) / rounds;
}

/// Kernels of each phase.
JsonObject Runner::launches_of(const Way& way) const {
  const double on_wire = way.packing.empty() ? 0 : launches_on_wire(way);
  const std::int64_t packing = gpu::kernels_of(way.pack, stream_.get());
  const std::int64_t unpacking = gpu::kernels_of(way.unpack, stream_.get());
  return JsonObject().add("pack", packing).add("wire", on_wire).add("unpack", unpacking);
}

void Runner::add_floors(JsonObject& row, const Item& item, double exchange_us) const {
  const auto with = [&](const Limits& limits) {
    return floors_of(item.which, subject_->bytes_packed(), subject_->bytes_sent(), limits);
  };
  const Floors floors = with(shared(limits_, gpus_ == 1 ? 2 : 1));
  row.add("phase_floors_us", json(floors));
  if (item.of_library()) {
    const Floors alone = with(limits_);
    row.add("phase_floors_alone_us", json(PhasesAlone{alone.pack, alone.unpack}));
    const std::int64_t partial = partial_sectors(item.which);
    row.add("partial_sectors", partial)
        .add("partial_sectors_us", static_cast<double>(partial) / limits_.parts + limits_.launch_us);
  }
  row.add("floor_us", floors.exchange).add("fraction_of_floor", floors.exchange / exchange_us);
}

void Runner::measure_row(const Item& item) {
  const Subject& subject = this->subject(item);
  const Way way = way_of(item.method, subject);
  const auto wrong = [&](int exchanges, const std::function<void()>& exchange) {
    return is_wrong(item, exchanges, exchange, [&] { return subject.fields.wrong(); });
  };
  if (wrong(first_ones, [&] { way.exchange(); })) return;
  const bool on_device = item.place == Place::device;
  const double seconds = peers_.told(rows_.seconds_for_a_row() / 3);
  const Sample whole = sample(
      [&] {
        way.exchange();
        subject.wait();
      },
      seconds);
  JsonObject row = described(item);
  row.add("direction", "exchange")
      .add("packed_bytes", subject.bytes_packed())
      .add("sent_bytes", subject.bytes_sent())
      .add("messages", way.messages);
  if (!way.packing.empty()) row.add("packing", way.packing);
  harness::add(row, whole);
  row.add("phases_us", json(measure_phases(subject, way, whole.median, seconds)));
  if (on_device && item.of_library()) {
    row.add("phases_alone_us", json(measure_phases_alone(subject, way, whole.median, seconds)));
  }
  if (wrong(1, [&] { way.in_phases(); })) return;
  // Under the preload library packing waits, which no capture may.
  if (on_device && !item.preloaded()) row.add("launches", launches_of(way));
  if (peers_.rank != 0) return;
  if (on_device) add_floors(row, item, whole.median);
  print(row.add("verified", "yes"));
}

void Runner::measure_overlap(const Item& item) {
  const Subject& subject = this->subject(item);
  Overlap overlap(subject, work_of(item.method));
  const auto computed_and_exchanged = [&] {
    overlap.clear();
    overlap.both();
  };
  const auto wrong = [&](int exchanges) {
    return is_wrong(item, exchanges, computed_and_exchanged,
                    [&] { return subject.fields.wrong() + overlap.wrong(); });
  };
  if (wrong(first_ones)) return;
  const double seconds = rows_.seconds_for_a_row();
  const Sample exchange = sample([&] { overlap.exchange(); }, seconds);
  const Sample interior = sample([&] { overlap.compute(); }, seconds);
  const Sample both = sample([&] { overlap.both(); }, seconds);
  const Sample in_turn = sample([&] { overlap.in_turn(); }, seconds);
  if (wrong(1) || peers_.rank != 0) return;
  JsonObject row = described(item);
  row.add("direction", "overlap")
      .add("packed_bytes", subject.bytes_packed())
      .add("sent_bytes", subject.bytes_sent())
      .add("packing", overlap.packing());
  print(harness::add(row, both)
            .add("exchange_us", exchange.median)
            .add("interior_us", interior.median)
            .add("peers_interior_us", interior.median_of_peer)
            .add("in_turn_us", in_turn.median)
            .add("hidden", (exchange.median + interior.median - both.median) /
                               std::min(exchange.median, interior.median))
            .add("verified", "yes"));
}

int Runner::run() {
  return rows_.run(items_, described, [this](const Item& item) {
    use_transport(item.of_library());
    item.overlaps() ? measure_overlap(item) : measure_row(item);
  });
}

}  // namespace typewarp::halo_bench
