// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_record.hpp"

#include "interpose/record/record.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>

namespace typewarp::cli {
namespace {

namespace record = interpose::record;

constexpr double nanosecond = 1e-9;

struct UnmapRecord {
  void operator()(record::File* file) const noexcept { munmap(file, sizeof(record::File)); }
};
using Mapped = std::unique_ptr<record::File, UnmapRecord>;

Mapped map_file(const std::filesystem::path& path) {
  if (std::filesystem::file_size(path) != sizeof(record::File)) return nullptr;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* const address = mmap(nullptr, sizeof(record::File), PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (address == MAP_FAILED) return nullptr;
  Mapped mapped(static_cast<record::File*>(address));
  return mapped->version == record::version ? std::move(mapped) : nullptr;
}

/// Empty if the place lies outside: a rank may have died while it wrote.
std::string_view text(const record::File& file, record::Text place) {
  if (place.at > file.texts.size() || place.bytes > file.texts.size() - place.at) return {};
  return {file.texts.data() + place.at, place.bytes};
}

SiteSide side(const record::File& file, const record::RecordedSide& from) {
  const std::string_view wire = text(file, from.wire);
  const auto* const first = reinterpret_cast<const std::byte*>(wire.data());
  return {
      std::string(text(file, from.type)), {first, first + wire.size()}, from.count, from.pieces, from.bytes};
}

std::vector<Frame> stack_of(std::string_view lines) {
  std::vector<Frame> frames;
  std::istringstream in{std::string(lines)};
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = line.rfind(' ');
    if (blank == std::string::npos) continue;
    constexpr int hexadecimal = 16;
    const char* const end = line.data() + line.size();
    std::uint64_t offset = 0;
    const auto [stopped, error] = std::from_chars(line.data() + blank + 1, end, offset, hexadecimal);
    // A rank may have died while it wrote.
    if (error == std::errc() && stopped == end) frames.push_back({line.substr(0, blank), offset, {}, {}, 0});
  }
  return frames;
}

/// The time in seconds that the fastest 2 % of the calls stay below, as if each class were evenly filled.
/// Longer calls may have waited for other ranks.
double fast_call(const record::SiteTotals& totals) {
  std::int64_t all = 0;
  for (const auto& n : totals.times) all += n;
  double left = 0.02 * static_cast<double>(all);
  for (std::size_t i = 0; i + 1 < totals.times.size() && all != 0; ++i) {
    const auto here = static_cast<double>(totals.times[i]);
    if (here < left || here == 0) {
      left -= here;
      continue;
    }
    const auto begin = static_cast<double>(record::shortest_of(i));
    return nanosecond * (begin + (static_cast<double>(record::shortest_of(i + 1)) - begin) * left / here);
  }
  return 0;
}

CallSite site_of(const record::File& file, const record::Site& from) {
  CallSite made;
  made.call = text(file, from.call);
  made.stack = stack_of(text(file, from.stack));
  made.comm = text(file, from.comm);
  made.comm_ranks = from.ranks;
  made.device = from.memory == record::Memory::device;
  made.sent = side(file, from.sent);
  made.received = side(file, from.received);
  made.view = side(file, from.view);
  made.totals = {.calls = from.totals.calls,
                 .bytes = from.totals.bytes,
                 .datatypes_made = from.totals.plans,
                 .repeats = from.totals.repeats,
                 .ranks = {file.rank},
                 .inside = nanosecond * static_cast<double>(from.totals.nanoseconds),
                 .waiting = nanosecond * static_cast<double>(from.totals.behind),
                 .fast = fast_call(from.totals)};
  return made;
}

}  // namespace

void CallTotals::add(const CallTotals& other) {
  calls += other.calls;
  bytes += other.bytes;
  datatypes_made += other.datatypes_made;
  repeats += other.repeats;
  ranks.insert(other.ranks.begin(), other.ranks.end());
  inside += other.inside;
  waiting += other.waiting;
  if (fast == 0 || (other.fast > 0 && other.fast < fast)) fast = other.fast;
}

JobRecord read_records(const std::string& folder, double seconds) {
  JobRecord job;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(record::file_prefix)) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    const Mapped file = map_file(path);
    if (file == nullptr) continue;
    const bool ended = file->ended != 0;
    job.ranks = std::max(job.ranks, file->ranks);
    job.recorded.push_back(file->rank);
    if (!ended) job.unfinished.push_back(file->rank);
    job.seconds += ended ? nanosecond * static_cast<double>(file->ended - file->begun) : seconds;
    job.others += file->others;
    job.others_seconds += nanosecond * static_cast<double>(file->others_nanoseconds);
    for (std::uint32_t i = 0; i < file->sites && i < record::most_sites; ++i) {
      const record::Site& site = file->site[i];
      if (site.complete == 0 || site.totals.calls == 0) continue;
      job.sites.push_back(site_of(*file, site));
    }
  }
  std::ranges::sort(job.recorded);
  std::ranges::sort(job.unfinished);
  return job;
}

}  // namespace typewarp::cli
