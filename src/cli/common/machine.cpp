// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/machine.hpp"

#include "cli/common/files.hpp"
#include "engine/device/gpu.hpp"
#include "engine/runtime/inventory.hpp"
#include "transport/tuning/profile_path.hpp"

namespace typewarp::cli {
namespace {

/// Of those that come with the library.
std::optional<MachineProfile> shipped(const std::string& gpu) {
  for (const std::string& name : MachineProfile::names()) {
    MachineProfile profile = MachineProfile::named(name);
    if (profile.gpu == gpu) return profile;
  }
  return std::nullopt;
}

}  // namespace

std::string machine_file() { return transport::config_file("machine.json"); }

std::string gpu_name(int device) {
  if (!gpu::present()) return {};
  const gpu::Inventory inventory = gpu::inventory();
  const auto index = static_cast<std::size_t>(device);
  if (device < 0 || index >= inventory.devices.size() || !inventory.devices[index].usable) return {};
  return inventory.devices[index].name;
}

Machine machine(const std::string& file, const std::string& gpu) {
  Machine result;
  if (!file.empty() && is_file(file)) {
    result.profile = MachineProfile::parse(content_of(file), file);
    if (gpu.empty() || result.profile.gpu == gpu) {
      result.file = file;
      return result;
    }
    result.note = file + " is a profile of " + result.profile.gpu + ", and the GPU here is " + gpu + ": ";
  }
  if (const std::optional<MachineProfile> known = shipped(gpu)) {
    result.profile = *known;
    if (!result.note.empty()) result.note += "the profile '" + known->name + "' is taken";
    return result;
  }
  result.profile = MachineProfile::named("h200");
  if (gpu.empty()) return result;
  if (result.note.empty()) result.note = "there is no profile of the GPU here, " + gpu + ": ";
  result.note += "the profile 'h200' is taken, 'typewarp tune' makes one of this machine";
  return result;
}

}  // namespace typewarp::cli
