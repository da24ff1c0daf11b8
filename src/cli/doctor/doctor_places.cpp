// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_record.hpp"

#include "cli/common/words.hpp"
#include "cli/launch/process.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <sstream>
#include <tuple>

namespace typewarp::cli {
namespace {

std::string hexadecimal(std::uint64_t number) {
  std::ostringstream out;
  out << "0x" << std::hex << number;
  return out.str();
}

/// "/home/u/halo.c:27 (discriminator 3)" or "??:0".
void set_line(Frame& frame, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.starts_with("??")) return;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), frame.line);
  if (frame.line != 0) frame.file = text.substr(0, colon);
}

// The return address may belong to another line than the call in front of it.
void look_up(const std::string& module, const std::vector<Frame*>& frames) {
  Words command{"addr2line", "-f", "-C", "-e", module};
  for (const Frame* const frame : frames) command.push_back(hexadecimal(frame->offset - 1));
  std::istringstream out(output_of(command, Complaints::dropped));
  std::vector<std::string> lines;
  for (std::string line; std::getline(out, line);) lines.push_back(line);
  if (lines.size() != 2 * frames.size()) return;  // no addr2line, or no such file
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!lines[2 * i].starts_with("??")) frames[i]->function = lines[2 * i];
    set_line(*frames[i], lines[2 * i + 1]);
  }
}

}  // namespace

void find_places(std::vector<CallSite>& sites) {
  constexpr std::size_t most = 1000;  // in one command
  std::map<std::string, std::vector<Frame*>> modules;
  for (CallSite& site : sites) {
    for (Frame& frame : site.stack) modules[frame.module].push_back(&frame);
  }
  for (const auto& [module, frames] : modules) {
    for (std::size_t at = 0; at < frames.size(); at += most) {
      const auto first = frames.begin() + static_cast<std::ptrdiff_t>(at);
      look_up(module, {first, first + static_cast<std::ptrdiff_t>(std::min(most, frames.size() - at))});
    }
  }
}

void unite(std::vector<CallSite>& sites) {
  const auto key_of = [](const CallSite& site) {
    const Frame frame = site.stack.empty() ? Frame() : site.stack.front();
    const std::string at = frame.file.empty() ? frame.module + '+' + hexadecimal(frame.offset)
                                              : frame.file + ':' + std::to_string(frame.line);
    const auto octave = std::bit_width(static_cast<std::uint64_t>(site.sent.bytes + site.received.bytes));
    return std::tuple(site.call, at, site.comm, site.comm_ranks, site.device, site.sent.type,
                      site.received.type, static_cast<int>(octave));
  };
  std::map<decltype(key_of({})), CallSite> united;
  for (CallSite& site : sites) {
    const auto [found, is_new] = united.try_emplace(key_of(site), site);
    if (!is_new) found->second.totals.add(site.totals);
  }
  sites.clear();
  for (auto& [key, site] : united) sites.push_back(std::move(site));
}

std::string place(const Frame& frame) {
  const std::string line = frame.file.empty() ? base_name(frame.module) + "+" + hexadecimal(frame.offset)
                                              : base_name(frame.file) + ":" + std::to_string(frame.line);
  return frame.function.empty() ? line : frame.function + " (" + line + ")";
}

}  // namespace typewarp::cli
