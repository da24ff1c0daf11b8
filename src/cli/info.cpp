// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/subcommands.hpp"

#include "cli/common/options.hpp"
#include "cli/launch/process.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/inventory.hpp"
#include "engine/runtime/vendor.hpp"
#include "transport/tuning/profile_path.hpp"

#include <typewarp/explain.hpp>
#include <typewarp/version.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

namespace typewarp::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// The profile of messages (docs/reference/options.md), as sessions look for it.
Json message_profile() {
  const transport::ProfilePath file = transport::profile_path();
  const bool there = !file.name.empty() && access(file.name.c_str(), R_OK) == 0;
  return {{"path", file.name}, {"named_by_environment", file.asked_for}, {"used", there}};
}

/// An MPI of this machine: a launcher on the PATH, and the libraries beside it.
struct Mpi {
  std::string launcher;  ///< with its folder
  std::string version;   ///< the first line that tells one, of what `launcher --version` prints
  std::string library;   ///< libmpi or its like in the folder of libraries beside that of the launcher
  std::string abi;       ///< "openmpi", "mpich", "abi"; empty where nothing tells
};

/// The first line of a version's text that has a digit: others are frames and headings.
std::string version_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos && line.find_first_of("0123456789") != std::string::npos) {
      return line.substr(first);
    }
  }
  return {};
}

/// MPICH's launcher tells its version behind a heading.
std::string version_of(const std::string& text, Family family) {
  const std::size_t version = text.find("Version:");
  if (family != Family::hydra || version == std::string::npos) return version_line(text);
  std::istringstream rest(text.substr(version + 8));
  std::string number;
  rest >> number;
  return "HYDRA " + number;
}

std::string library_beside(const fs::path& launcher) {
  constexpr std::array<std::string_view, 6> names{"libmpi.so.40",    "libmpi.so.12",   "libmpi_abi.so.1",
                                                  "libmpi_abi.so.0", "libmpich.so.12", "libmpi.so"};
  const fs::path prefix = launcher.parent_path().parent_path();
  std::error_code error;
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    for (const std::string_view name : names) {
      const fs::path path = prefix / folder / name;
      if (fs::exists(path, error)) return path.string();
    }
  }
  return {};
}

/// By the names that MPIs agreed on: libmpi.so.12 is the ABI of MPICH, Intel MPI and MVAPICH.
std::string abi_of(const std::string& library, Family family) {
  if (library.find("libmpi_abi.so") != std::string::npos) return "abi";
  if (family == Family::open_mpi || library.ends_with(".so.40")) return "openmpi";
  return family == Family::hydra || library.ends_with(".so.12") ? "mpich" : "";
}

/// Of the folders of `path`, which reads as the variable PATH; each launcher once, whatever links name it.
std::vector<Mpi> mpis_on(const std::string& path, const System& system) {
  std::vector<Mpi> found;
  std::set<std::string> seen;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"mpiexec", "mpirun"}) {
      const fs::path launcher = fs::path(folder.empty() ? "." : folder) / name;
      if (!system.is_program(launcher.string())) continue;
      std::error_code error;
      const fs::path real = fs::canonical(launcher, error);
      // mpirun and mpiexec of one folder are the same launcher, also where they are files of their own.
      if (error || !seen.insert(real.string()).second ||
          !seen.insert(launcher.parent_path().string() + "/").second) {
        continue;
      }
      const Family family = family_of(launcher.string(), system);
      std::string library = library_beside(launcher);
      if (library.empty()) library = library_beside(real);
      found.push_back({launcher.string(), version_of(system.version_of(launcher.string()), family), library,
                       abi_of(library, family)});
    }
  }
  return found;
}

struct Core {
  std::string front;              ///< of the preload library; empty where there is none
  std::vector<std::string> abis;  ///< for which a core lies beside it
  std::string problem;
};

Core preload_library() {
  Core core;
  try {
    core.front = library_path();
  } catch (const UsageError& error) {
    core.problem = error.what();
    return core;
  }
  for (const char* abi : {"openmpi", "mpich", "abi"}) {
    const fs::path path =
        fs::path(core.front).parent_path() / (std::string("libtypewarp_mpi_") + abi + ".so");
    if (fs::exists(path)) core.abis.emplace_back(abi);
  }
  return core;
}

bool serves(const Core& core, const std::string& abi) {
  return std::find(core.abis.begin(), core.abis.end(), abi) != core.abis.end();
}

/// What is not there, and what that costs.
std::vector<std::string> missing(const Json& facts, const Core& core, const std::vector<Mpi>& mpis) {
  std::vector<std::string> result;
  if (!facts["gpu"]["built_in"].get<bool>()) {
    result.emplace_back(
        "no GPU engine is built in: GPU memory is not moved at all. Build with nvcc on the PATH, or with "
        "TYPEWARP_HIP.");
  } else if (!facts["gpu"]["usable"].get<bool>()) {
    result.push_back("no usable GPU (" + facts["gpu"]["problem"].get<std::string>() + "): host memory only");
  }
  if (core.front.empty()) result.push_back("no preload library, so no 'typewarp run': " + core.problem);
  if (mpis.empty()) {
    result.emplace_back(
        "no mpiexec or mpirun on the PATH: nothing that 'typewarp run' could start by that name.");
  }
  for (const Mpi& mpi : mpis) {
    if (core.front.empty() || mpi.abi.empty() || serves(core, mpi.abi)) continue;
    result.push_back("no libtypewarp_mpi_" + mpi.abi + ".so: programs of " + mpi.launcher +
                     " run as without Typewarp. Build with TYPEWARP_MPI naming an MPI of that ABI.");
  }
  if (!facts["profile"]["used"].get<bool>()) {
    result.emplace_back(
        "no profile of messages on this machine: they are cut and sent by numbers of the machines that the "
        "library was measured on. typewarp_tune_<mpi>, which only a build from source has, makes one.");
  }
  return result;
}

Json gpu_facts() {
  const gpu::Inventory inventory = gpu::inventory();
  Json devices = Json::array();
  for (const gpu::DeviceFacts& device : inventory.devices) {
    devices.push_back({{"name", device.name},
                       {"bus", device.bus},
                       {"memory_bytes", device.memory},
                       {"multiprocessors", device.multiprocessors},
                       {"compute_capability", device.compute_capability},
                       {"usable", device.usable},
                       {"reachable", device.reachable}});
  }
  const bool usable = gpu::present();
  const std::string problem = usable                      ? ""
                              : inventory.problem.empty() ? "no device runs the compiled kernels"
                                                          : inventory.problem;
  return {{"built_in", gpu::built()}, {"interface", gpu::vendor().interface}, {"usable", usable},
          {"problem", problem},       {"runtime", inventory.runtime},         {"driver", inventory.driver},
          {"devices", devices}};
}

Json all_facts() {
  const Core core = preload_library();
  const std::vector<Mpi> mpis = mpis_on(variable("PATH"), this_system());
  Json listed = Json::array();
  for (const Mpi& mpi : mpis) {
    listed.push_back({{"launcher", mpi.launcher},
                      {"version", mpi.version},
                      {"library", mpi.library},
                      {"abi", mpi.abi},
                      {"served", serves(core, mpi.abi)}});
  }
  Json facts{{"version", version()},
             {"processor", processor()},
             {"threads", std::thread::hardware_concurrency()},
             {"host_threads", variable("TYPEWARP_HOST_THREADS")},
             {"gpu", gpu_facts()},
             {"preload", {{"library", core.front}, {"abis", core.abis}}},
             {"mpis", listed},
             {"profile", message_profile()},
             {"floors_of", GpuRates::recorded_here().value_or(*GpuRates::recorded("h200")).gpu}};
  facts["missing"] = missing(facts, core, mpis);
  return facts;
}

std::string text_of(const Json& value) { return value.get<std::string>(); }

std::string joined(const Json& list) {
  std::string text;
  for (const Json& entry : list) {
    text += (text.empty() ? "" : ", ") + (entry.is_string() ? text_of(entry) : entry.dump());
  }
  return text.empty() ? "none" : text;
}

void print_gpus(const Json& gpu) {
  if (!gpu["usable"].get<bool>()) std::printf("GPUs       none: %s\n", text_of(gpu["problem"]).c_str());
  for (std::size_t i = 0; i < gpu["devices"].size(); ++i) {
    const Json& device = gpu["devices"][i];
    std::printf(
        "GPU %zu      %s, %lld MiB, %d multiprocessors, %s%s; its kernels reach GPUs: %s\n", i,
        text_of(device["name"]).c_str(),
        static_cast<long long>(device["memory_bytes"].get<std::int64_t>() >> 20),
        device["multiprocessors"].get<int>(), text_of(device["bus"]).c_str(),
        device["usable"].get<bool>() ? "" : ", which no kernels were compiled for (it may be too old)",
        joined(device["reachable"]).c_str());
  }
  if (!text_of(gpu["runtime"]).empty()) {
    const std::string driver = text_of(gpu["driver"]);
    std::printf("GPU code   %s %s, driver for %s\n", text_of(gpu["interface"]).c_str(),
                text_of(gpu["runtime"]).c_str(), driver.empty() ? "none" : driver.c_str());
  }
}

void print_mpis(const Json& facts) {
  for (const Json& mpi : facts["mpis"]) {
    const std::string abi = text_of(mpi["abi"]);
    std::printf(
        "MPI        %s: %s\n           %s, ABI %s, %s\n", text_of(mpi["launcher"]).c_str(),
        text_of(mpi["version"]).c_str(),
        text_of(mpi["library"]).empty() ? "no library beside it" : text_of(mpi["library"]).c_str(),
        abi.empty() ? "unknown" : abi.c_str(),
        mpi["served"].get<bool>() ? ("served by libtypewarp_mpi_" + abi + ".so").c_str() : "not served");
  }
  const std::string library = text_of(facts["preload"]["library"]);
  std::printf("preload    %s, for ABIs: %s\n", library.empty() ? "none" : library.c_str(),
              joined(facts["preload"]["abis"]).c_str());
}

void print(const Json& facts) {
  std::printf("typewarp   %s, %s\n", text_of(facts["version"]).c_str(),
              facts["gpu"]["built_in"].get<bool>() ? "with GPU engine" : "without GPU engine");
  const std::string threads = text_of(facts["host_threads"]);
  std::printf("processor  %s, %d threads%s\n", text_of(facts["processor"]).c_str(),
              facts["threads"].get<int>(),
              threads.empty() ? "" : (", of which operations take " + threads + " at most").c_str());
  print_gpus(facts["gpu"]);
  print_mpis(facts);
  const Json& profile = facts["profile"];
  const std::string path = text_of(profile["path"]);
  std::printf("profile    %s\n", profile["used"].get<bool>() ? path.c_str()
                                 : path.empty()              ? "none, as TYPEWARP_PROFILE says"
                                                             : ("none: there is no " + path).c_str());
  std::printf("floors     explain takes the rates of %s\n", text_of(facts["floors_of"]).c_str());
  for (const Json& what : facts["missing"]) std::printf("missing    %s\n", text_of(what).c_str());
}

}  // namespace

std::vector<Option> info_options() { return {{"--json", "", "prints JSON"}}; }

int info(const Words& words) {
  bool json = false;
  const auto take = [&](const std::string&, const std::string&) { json = true; };
  const ReadWords read = read_options(words, info_options(), OptionsStand::anywhere, take);
  if (read.help) {
    std::printf(
        "usage: typewarp info [OPTION]...\n\n"
        "Shows what Typewarp finds on this machine, what was built in, and what is missing.\n\n%s",
        described(info_options()).c_str());
    return 0;
  }
  if (!read.rest.empty()) throw UsageError("no argument is expected, not '" + read.rest.front() + "'");
  const Json facts = all_facts();
  if (json) {
    // Paths may hold any bytes.
    std::puts(facts.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    print(facts);
  }
  return 0;
}

}  // namespace typewarp::cli
