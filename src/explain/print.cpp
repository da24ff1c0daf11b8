// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace typewarp {
namespace {

using Json = nlohmann::ordered_json;

std::string us(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.2f us" : "%.1f us", value);
  return text;
}

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  while (!result.empty() && (result.back() == ' ' || result.back() == '\n')) result.pop_back();
  return result + "\n";
}

std::string line(std::string name, const std::string& value, std::size_t column = 11) {
  name.resize(std::max(name.size() + 1, column), ' ');
  return "  " + name + value + "\n";
}

std::string between(const ExplainedMove& move) {
  if (move.engine == "host") return move.direction + ", host memory";
  const bool packs = move.direction == "pack";
  const std::string packed = move.memory + " memory";
  return move.direction + (packs ? ", device to " : ", ") + packed + (packs ? "" : " to device");
}

std::string floor_text(const TransferFloor& floor) {
  std::string text = us(floor.us) + " = ";
  if (floor.link_us > floor.memory_us) {
    text += us(floor.link_us) + " for " + std::to_string(floor.link_bytes) + " B over the link";
  } else {
    text += us(floor.memory_us) + " for " + std::to_string(floor.layout_bytes) + " B of the layout";
    if (floor.packed_bytes > 0) text += " and " + std::to_string(floor.packed_bytes) + " B packed";
  }
  return text + ", and " + us(floor.launch_us) + " to launch";
}

/// The methods that `wanted` says, by name, with their times.
template <typename Wanted>
std::string names_of(const ExplainedMove& move, const Wanted& wanted) {
  std::string names;
  for (const ConsideredMethod& method : move.methods) {
    if (!wanted(method)) continue;
    if (!names.empty()) names.append(", ");
    names.append(method.name);
    if (method.measured_us) names.append(" (measured ").append(us(*method.measured_us)).append(")");
  }
  return names;
}

std::string methods_text(const ExplainedMove& move) {
  std::string text;
  const auto add = [&](const char* what, const auto& wanted) {
    if (const std::string names = names_of(move, wanted); !names.empty()) text += line("", what + names);
  };
  add("possible: ", [&](const ConsideredMethod& one) { return one.can && one.name != move.chosen; });
  add("impossible: ", [](const ConsideredMethod& one) { return !one.can; });
  return text;
}

std::string move_text(const ExplainedMove& move) {
  std::string text = between(move) + "\n" + line("method", move.chosen) + line("", move.how);
  for (const std::string& remark : move.remarks) text += line("", remark);
  text += methods_text(move);
  if (move.floor) text += line("floor", floor_text(*move.floor));
  if (move.measured_us) {
    std::string measured = us(*move.measured_us);
    if (move.floor) {
      char ratio[48];
      std::snprintf(ratio, sizeof ratio, ", %.2f of the floor", *move.measured_us / move.floor->us);
      measured += ratio;
    }
    text += line("measured", measured);
  }
  return text;
}

/// The rules of all methods that any of the moves considered, in order.
std::string rules_text(const std::vector<ExplainedMove>& moves) {
  std::vector<ConsideredMethod> known;
  for (const ExplainedMove& move : moves) {
    for (const ConsideredMethod& method : move.methods) {
      if (std::ranges::find(known, method.name, &ConsideredMethod::name) == known.end())
        known.push_back(method);
    }
  }
  std::string text;
  for (const ConsideredMethod& method : known) text += line(method.name, method.rule, 13);
  return text;
}

Json number(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const ExplainedMove& move) {
  Json methods = Json::array();
  for (const ConsideredMethod& method : move.methods) {
    methods.push_back({{"name", method.name},
                       {"rule", method.rule},
                       {"needs", method.needs},
                       {"can", method.can},
                       {"suits", method.suits},
                       {"measured_us", number(method.measured_us)}});
  }
  Json json{{"engine", move.engine}, {"direction", move.direction}, {"memory", move.memory},
            {"chosen", move.chosen}, {"remarks", move.remarks},     {"how", move.how},
            {"methods", methods}};
  if (move.floor) {
    json["floor"] = {{"us", move.floor->us},
                     {"layout_bytes", move.floor->layout_bytes},
                     {"packed_bytes", move.floor->packed_bytes},
                     {"link_bytes", move.floor->link_bytes},
                     {"memory_us", move.floor->memory_us},
                     {"link_us", move.floor->link_us},
                     {"launch_us", move.floor->launch_us}};
  }
  json["measured_us"] = number(move.measured_us);
  return json;
}

}  // namespace

std::string Explanation::to_string() const {
  std::string text;
  const auto section = [&text](const char* title, const std::string& body) {
    text += title;
    text += '\n';
    text += body;
  };
  section("type", tree.empty() ? "" : indented(tree));
  const std::string bound = tree.empty() ? "" : ", lb " + std::to_string(lb);  // a plan alone has none
  text += "  an item: size " + std::to_string(size) + " B" + bound + ", extent " + std::to_string(extent) +
          ", true lb " + std::to_string(true_lb) + ", true extent " + std::to_string(true_extent) + "\n";
  text += "  " + std::to_string(count) + (count == 1 ? " item: " : " items: ") + std::to_string(bytes) +
          " B of data in " + std::to_string(runs) + (runs == 1 ? " run\n" : " runs\n");
  section("\nlayout", indented(layout));
  if (!picture.empty()) section("\nmemory", indented(picture));
  if (!machine.empty()) section("\nmachine", indented(machine));
  if (!hints.empty()) section("\nhints", indented(hints));
  for (const ExplainedMove& move : moves) section("", move_text(move));
  if (const std::string rules = rules_text(moves); !rules.empty()) {
    section("\nmethods, of which the first that suits is taken unless hints say another", rules);
  }
  if (!advice.empty()) section("\nadvice", "");
  for (const std::string& sentence : advice) text += "  - " + sentence + "\n";
  return text;
}

std::string Explanation::to_json() const {
  Json json{{"count", count}, {"bytes", bytes},         {"runs", runs},       {"size", size},
            {"lb", lb},       {"extent", extent},       {"true_lb", true_lb}, {"true_extent", true_extent},
            {"tree", tree},   {"layout", layout},       {"picture", picture}, {"machine", machine},
            {"hints", hints}, {"moves", Json::array()}, {"advice", advice}};
  for (const ExplainedMove& move : moves) json["moves"].push_back(json_of(move));
  return json.dump(1) + "\n";
}

}  // namespace typewarp
