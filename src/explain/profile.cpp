// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include "explain/profiles.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace typewarp {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;  // to write

constexpr std::string_view call = "typewarp::MachineProfile";
constexpr int version = 1;

/// Reads members of one object; refuses what is missing, of another kind, or no number above 0.
class Reader {
 public:
  Reader(const json& object, std::string source, std::string path)
      : object_(object), source_(std::move(source)), path_(std::move(path)) {
    if (!object.is_object()) refuse(path_, "must be an object");
  }

  [[noreturn]] void refuse(const std::string& place, std::string_view rule) const {
    throw InvalidArgument(call, source_, place, rule);
  }
  const json& member(const char* name) const {
    const auto found = object_.find(name);
    if (found == object_.end()) refuse(place(name), "is missing");
    return *found;
  }
  std::string text(const char* name) const {
    if (!member(name).is_string()) refuse(place(name), "must be a string");
    return member(name).get<std::string>();
  }
  double positive(const char* name) const {
    const json& value = member(name);
    if (!value.is_number() || !(value.get<double>() > 0)) refuse(place(name), "must be a number above 0");
    return value.get<double>();
  }
  bool flag(const char* name) const {
    if (!member(name).is_boolean()) refuse(place(name), "must be true or false");
    return member(name).get<bool>();
  }
  std::string one_of(const char* name, std::string_view a, std::string_view b) const {
    std::string read = text(name);
    if (read != a && read != b) {
      refuse(place(name), "must be \"" + std::string(a) + "\" or \"" + std::string(b) + "\"");
    }
    return read;
  }
  std::string method(const char* name) const {
    std::string read = text(name);
    for (int method = 1; method <= static_cast<int>(Method::generic); ++method) {
      if (typewarp::name(static_cast<Method>(method)) == read) return read;
    }
    refuse(place(name), "must be the name of a method (typewarp/hints.hpp)");
  }
  std::string place(const char* name) const { return path_ + "." + name; }

 private:
  const json& object_;
  std::string source_, path_;
};

MeasuredRatio ratio_of(const Reader& read) {
  return {read.one_of("direction", "pack", "unpack"),
          read.one_of("memory", "device", "pinned"),
          read.method("method"),
          read.positive("run"),
          read.positive("step"),
          read.positive("touched"),
          read.flag("whole"),
          read.flag("scattered"),
          read.positive("ratio"),
          read.text("source")};
}

/// To five digits: what is measured is not known any better.
double rounded(double value) {
  const double scale = std::pow(10, 4 - std::floor(std::log10(value)));
  return value < 1e5 ? std::round(value * scale) / scale : std::round(value);
}

Json json_of(const MeasuredRatio& ratio) {
  return {{"direction", ratio.direction}, {"memory", ratio.memory},       {"method", ratio.method},
          {"run", rounded(ratio.run)},    {"step", rounded(ratio.step)},  {"touched", rounded(ratio.touched)},
          {"whole", ratio.whole},         {"scattered", ratio.scattered}, {"ratio", rounded(ratio.ratio)},
          {"source", ratio.source}};
}

}  // namespace

MachineProfile MachineProfile::parse(std::string_view text, const std::string& source) {
  json tree;
  try {
    tree = json::parse(text);
  } catch (const json::parse_error& error) {
    throw InvalidArgument(call, source, "byte " + std::to_string(error.byte), "is where it stops being JSON");
  } catch (const json::out_of_range&) {
    throw InvalidArgument(call, source, "a number", "is beyond what a double holds");
  }
  const Reader read(tree, source, "$");
  if (read.positive("version") != version) {
    read.refuse("$.version", "must be " + std::to_string(version) + ", the one that this library reads");
  }
  MachineProfile profile;
  profile.name = read.text("name");
  profile.gpu = read.text("gpu");
  profile.source = read.text("source");
  const Reader rates(read.member("rates"), source, "$.rates");
  profile.copy_gb_per_s = rates.positive("copy_gb_per_s");
  profile.to_host_gb_per_s = rates.positive("to_host_gb_per_s");
  profile.to_device_gb_per_s = rates.positive("to_device_gb_per_s");
  profile.launch_us = rates.positive("launch_us");
  const json& ratios = read.member("ratios");
  if (!ratios.is_array()) read.refuse("$.ratios", "must be a list");
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    profile.ratios.push_back(ratio_of(Reader(ratios[i], source, "$.ratios[" + std::to_string(i) + "]")));
  }
  return profile;
}

std::string MachineProfile::to_json() const {
  Json head{{"version", version},
            {"name", name},
            {"gpu", gpu},
            {"source", source},
            {"rates",
             {{"copy_gb_per_s", rounded(copy_gb_per_s)},
              {"to_host_gb_per_s", rounded(to_host_gb_per_s)},
              {"to_device_gb_per_s", rounded(to_device_gb_per_s)},
              {"launch_us", rounded(launch_us)}}}};
  std::string text = head.dump(1);
  text.resize(text.size() - 2);  // its end, in front of which the list stands
  text += ",\n \"ratios\": [";
  for (const MeasuredRatio& ratio : ratios) {
    text += (&ratio == ratios.data() ? "\n  " : ",\n  ") + json_of(ratio).dump();
  }
  return text + (ratios.empty() ? "]\n}\n" : "\n ]\n}\n");
}

std::vector<std::string> MachineProfile::names() {
  std::vector<std::string> names;
  for (const auto& shipped : explanation::shipped_profiles) names.emplace_back(shipped.name);
  return names;
}

MachineProfile MachineProfile::named(std::string_view name) {
  std::string known;
  for (const auto& shipped : explanation::shipped_profiles) {
    if (shipped.name == name) return parse(shipped.text, std::string(name));
    known += (known.empty() ? "" : ", ") + std::string(shipped.name);
  }
  throw InvalidArgument(call, "name", name, "must be one of " + known);
}

}  // namespace typewarp
