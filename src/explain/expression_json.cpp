// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/expression.hpp>

#include "explain/constructors.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <vector>

namespace typewarp {
namespace {

using explanation::deepest_text;
using explanation::ExpressionArgument;
using explanation::Refusal;
using explanation::Value;
using nlohmann::json;

constexpr std::string_view call = "typewarp::datatype_of_json";
constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

/// Turns JSON into values; a place is the number of a node of the tree.
class JsonReader {
 public:
  Value read(const json& root) { return read(root, {}); }

  /// How a reader gets to a node: made only for who is told of it, since paths may be long and nodes many.
  std::string path(std::int64_t place) const {
    const ParentLink& step = steps_[static_cast<std::size_t>(place)];
    if (step.parent < 0) return "$";
    std::string text = path(step.parent);
    if (step.name != nullptr) return text.append(".").append(*step.name);
    return text.append("[").append(std::to_string(step.index)).append("]");
  }

 private:
  /// From a node's parent to it.
  struct ParentLink {
    std::int64_t parent = -1;
    std::size_t index = 0;              ///< in a list
    const std::string* name = nullptr;  ///< in an object
  };

  Value read(const json& node, const ParentLink& step) {
    const auto place = static_cast<std::int64_t>(steps_.size());
    steps_.push_back(step);
    if (node.is_number_unsigned() && node.get<std::uint64_t>() > largest) {
      throw Refusal(place, "the number is beyond 64 bits");
    }
    if (node.is_number_integer()) return {node.get<std::int64_t>(), place};
    if (node.is_string()) return {node.get<std::string>(), place};
    if (!node.is_structured()) {
      throw Refusal(place, "expected a whole number, a string, a list or an object");
    }
    if (++depth_ > deepest_text) {
      throw Refusal(0, "nested more than " + std::to_string(deepest_text) + " deep");
    }
    Value result = node.is_array() ? Value{entries(node, place), place} : Value{object(node, place), place};
    --depth_;
    return result;
  }

  std::vector<Value> entries(const json& node, std::int64_t place) {
    std::vector<Value> list;
    for (std::size_t i = 0; i < node.size(); ++i) list.push_back(read(node[i], {place, i, nullptr}));
    return list;
  }

  Datatype object(const json& node, std::int64_t place) {
    const auto type = node.find("type");
    if (type == node.end() || !type->is_string()) {
      throw Refusal(place, "expected a \"type\" that names a constructor");
    }
    std::vector<ExpressionArgument> arguments;
    for (auto member = node.begin(); member != node.end(); ++member) {
      if (member.key() != "type")
        arguments.push_back({member.key(), read(*member, {place, 0, &member.key()})});
    }
    return explanation::construct(type->get<std::string>(), std::move(arguments), place);
  }

  int depth_ = 0;
  std::vector<ParentLink> steps_;  ///< to each node so far
};

}  // namespace

Datatype datatype_of_json(std::string_view text) {
  json tree;
  try {
    tree = json::parse(text);
  } catch (const json::parse_error& error) {
    throw InvalidArgument(call, "text", "byte " + std::to_string(error.byte), "is where it stops being JSON");
  } catch (const json::out_of_range&) {
    throw InvalidArgument(call, "text", "a number", "is beyond what a double holds");
  }
  JsonReader reader;
  try {
    return explanation::type_of(reader.read(tree));
  } catch (const Refusal& refusal) {
    throw InvalidArgument(call, "text", reader.path(refusal.place), refusal.what());
  }
}

}  // namespace typewarp
