// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/job_name.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace typewarp::interpose {
namespace {

// What launchers number the processes of a job with; the last are also seen by launchers that run inside of
// another's job.
constexpr std::array rank_variables{
    "PMIX_RANK=",      "PMI_RANK=",    "OMPI_COMM_WORLD_RANK=", "SLURM_PROCID=",
    "FLUX_TASK_RANK=", "PALS_RANKID=", "MV2_COMM_WORLD_RANK="};

// What tells how many of them there are on this host. Slurm has a list if they are not as many everywhere.
constexpr std::array size_variables{"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE",
                                    "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_STEP_TASKS_PER_NODE"};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool has(const std::string& environment, std::string_view name) {
  return environment.starts_with(name) || environment.find('\0' + std::string(name)) != std::string::npos;
}

std::string environment_of(long pid) { return text_of("/proc/" + std::to_string(pid) + "/environ"); }

/// Fields of /proc/<pid>/stat from the third on: the name before them may hold anything.
std::vector<std::string> stat_of(long pid) {
  const std::string text = text_of("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');
  std::vector<std::string> fields;
  for (std::size_t at = name_end; at != std::string::npos && at + 2 < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at + 1);
    at = text.find(' ', begin);
    fields.push_back(text.substr(begin, at - begin));
  }
  return fields;
}

}  // namespace

int ranks_on_host() noexcept {
  for (const char* const name : size_variables) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const bool is_list = std::string_view(text).find(',') != std::string_view::npos;
    return is_list ? 0 : std::atoi(text);
  }
  return 0;
}

std::string job_name() {
  const std::string own = text_of("/proc/self/environ");
  const auto number = std::ranges::find_if(rank_variables, [&](auto name) { return has(own, name); });
  if (number == rank_variables.end()) return {};
  constexpr std::size_t parent = 1;
  constexpr std::size_t start_time = 19;
  long pid = getppid();
  std::vector<std::string> fields = stat_of(pid);
  while (fields.size() > start_time && has(environment_of(pid), *number)) {
    pid = std::stol(fields[parent]);
    fields = stat_of(pid);
  }
  if (fields.size() <= start_time) return {};
  // Launchers that stay for many jobs number these.
  const char* const space = std::getenv("PMIX_NAMESPACE");
  std::string name = std::to_string(getuid());
  name.append("-").append(std::to_string(pid)).append("-").append(fields[start_time]);
  if (space != nullptr) name.append("-").append(space);
  return name;
}

}  // namespace typewarp::interpose
