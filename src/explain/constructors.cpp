// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/constructors.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

namespace typewarp::explanation {
namespace {

enum class ParameterKind { number, numbers, type, types, order, distributions };

struct Parameter {
  std::string_view name;
  ParameterKind kind;
};

constexpr Parameter count{"count", ParameterKind::number}, blocklength{"blocklength", ParameterKind::number},
    stride{"stride", ParameterKind::number}, child{"child", ParameterKind::type},
    blocklengths{"blocklengths", ParameterKind::numbers},
    displacements{"displacements", ParameterKind::numbers}, order{"order", ParameterKind::order};

constexpr std::array with_count{count, child};
constexpr std::array with_stride{count, blocklength, stride, child};
constexpr std::array with_lists{blocklengths, displacements, child};
constexpr std::array with_list{blocklength, displacements, child};
constexpr std::array of_struct{blocklengths, displacements, Parameter{"children", ParameterKind::types}};
constexpr std::array of_subarray{Parameter{"sizes", ParameterKind::numbers},
                                 Parameter{"subsizes", ParameterKind::numbers},
                                 Parameter{"starts", ParameterKind::numbers}, order, child};
constexpr std::array of_darray{Parameter{"size", ParameterKind::number},
                               Parameter{"rank", ParameterKind::number},
                               Parameter{"global_sizes", ParameterKind::numbers},
                               Parameter{"distributions", ParameterKind::distributions},
                               Parameter{"distribution_arguments", ParameterKind::numbers},
                               Parameter{"process_sizes", ParameterKind::numbers},
                               order,
                               child};
constexpr std::array of_resized{child, Parameter{"lb", ParameterKind::number},
                                Parameter{"extent", ParameterKind::number}};
constexpr std::array of_dup{child};

/// The arguments in the order of the parameters; null where an order was left out.
using Arguments = std::vector<const Value*>;

std::string text_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.what)) return std::to_string(*number);
  if (const auto* word = std::get_if<std::string>(&value.what)) return "'" + *word + "'";
  return std::holds_alternative<Datatype>(value.what) ? "a datatype" : "a list";
}

std::int64_t number(const Value& value) {
  const auto* word = std::get_if<std::string>(&value.what);
  if (word != nullptr && *word == "default") return default_distribution_argument;
  const auto* read = std::get_if<std::int64_t>(&value.what);
  if (read == nullptr) throw Refusal(value.place, "expected a number, not " + text_of(value));
  return *read;
}

const std::vector<Value>& list(const Value& value) {
  const auto* read = std::get_if<std::vector<Value>>(&value.what);
  if (read == nullptr) throw Refusal(value.place, "expected a list [...], not " + text_of(value));
  return *read;
}

template <typename Entry>
auto entries(const Value& value, const Entry& entry) {
  std::vector<decltype(entry(value))> result;
  const std::vector<Value>& read = list(value);
  result.reserve(read.size());
  for (const Value& one : read) result.push_back(entry(one));
  return result;
}

std::vector<std::int64_t> numbers(const Value& value) { return entries(value, number); }

template <typename Result, std::size_t n>
Result keyword(const Value& value, const std::array<std::pair<std::string_view, Result>, n>& known,
               const std::string& expected) {
  const auto* word = std::get_if<std::string>(&value.what);
  for (const auto& [text, result] : known) {
    if (word != nullptr && *word == text) return result;
  }
  throw Refusal(value.place, "expected " + expected + ", not " + text_of(value));
}

Order order_of(const Value* value) {
  constexpr std::array known{std::pair{std::string_view("c"), Order::c},
                             std::pair{std::string_view("fortran"), Order::fortran}};
  return value == nullptr ? Order::c : keyword(*value, known, "c or fortran");
}

Distribution distribution(const Value& value) {
  constexpr std::array known{std::pair{std::string_view("none"), Distribution::none},
                             std::pair{std::string_view("block"), Distribution::block},
                             std::pair{std::string_view("cyclic"), Distribution::cyclic}};
  return keyword(value, known, "none, block or cyclic");
}

struct Constructor {
  std::string_view name;
  std::span<const Parameter> parameters;
  Datatype (*make)(const Arguments& a);
};

constexpr std::array constructors{
    Constructor{"contiguous", with_count,
                [](const Arguments& a) { return contiguous(number(*a[0]), type_of(*a[1])); }},
    Constructor{"vector", with_stride,
                [](const Arguments& a) {
                  return vector(number(*a[0]), number(*a[1]), number(*a[2]), type_of(*a[3]));
                }},
    Constructor{"hvector", with_stride,
                [](const Arguments& a) {
                  return hvector(number(*a[0]), number(*a[1]), number(*a[2]), type_of(*a[3]));
                }},
    Constructor{"indexed", with_lists,
                [](const Arguments& a) { return indexed(numbers(*a[0]), numbers(*a[1]), type_of(*a[2])); }},
    Constructor{"hindexed", with_lists,
                [](const Arguments& a) { return hindexed(numbers(*a[0]), numbers(*a[1]), type_of(*a[2])); }},
    Constructor{
        "indexed_block", with_list,
        [](const Arguments& a) { return indexed_block(number(*a[0]), numbers(*a[1]), type_of(*a[2])); }},
    Constructor{
        "hindexed_block", with_list,
        [](const Arguments& a) { return hindexed_block(number(*a[0]), numbers(*a[1]), type_of(*a[2])); }},
    Constructor{"struct", of_struct,
                [](const Arguments& a) {
                  return structure(numbers(*a[0]), numbers(*a[1]), entries(*a[2], type_of));
                }},
    Constructor{"subarray", of_subarray,
                [](const Arguments& a) {
                  return subarray(numbers(*a[0]), numbers(*a[1]), numbers(*a[2]), order_of(a[3]),
                                  type_of(*a[4]));
                }},
    Constructor{"darray", of_darray,
                [](const Arguments& a) {
                  return darray(number(*a[0]), number(*a[1]), numbers(*a[2]), entries(*a[3], distribution),
                                numbers(*a[4]), numbers(*a[5]), order_of(a[6]), type_of(*a[7]));
                }},
    Constructor{"resized", of_resized,
                [](const Arguments& a) { return resized(type_of(*a[0]), number(*a[1]), number(*a[2])); }},
    Constructor{"dup", of_dup, [](const Arguments& a) { return dup(type_of(*a[0])); }}};

const Constructor* find(std::string_view name) noexcept {
  const auto* const found = std::ranges::find(constructors, name, &Constructor::name);
  return found == constructors.end() ? nullptr : found;
}

std::string signature(const Constructor& constructor) {
  std::string text(constructor.name);
  for (const Parameter& parameter : constructor.parameters) {
    text += (parameter.name == constructor.parameters.front().name ? "(" : ", ");
    text += parameter.name;
  }
  return text + ")";
}

/// Named arguments go to their parameters, the others to the places that are left.
Arguments in_order(const Constructor& constructor, const std::vector<ExpressionArgument>& arguments,
                   std::int64_t place) {
  const auto& parameters = constructor.parameters;
  Arguments bound(parameters.size());
  for (const ExpressionArgument& argument : arguments) {
    if (argument.name.empty()) continue;
    const auto found = std::ranges::find(parameters, argument.name, &Parameter::name);
    if (found == parameters.end()) {
      throw Refusal(argument.value.place, "there is no '" + argument.name + "' in " + signature(constructor));
    }
    const Value*& slot = bound[static_cast<std::size_t>(found - parameters.begin())];
    if (slot != nullptr) throw Refusal(argument.value.place, "'" + argument.name + "' is given twice");
    slot = &argument.value;
  }
  // The order of C is the default.
  const bool no_order = arguments.size() + 1 == parameters.size();
  std::size_t next = 0;
  for (const ExpressionArgument& argument : arguments) {
    if (!argument.name.empty()) continue;
    const auto taken = [&] {
      return bound[next] != nullptr || (no_order && parameters[next].kind == ParameterKind::order);
    };
    while (next < bound.size() && taken()) ++next;
    if (next == bound.size()) throw Refusal(argument.value.place, "one more than " + signature(constructor));
    bound[next++] = &argument.value;
  }
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] == nullptr && parameters[i].kind != ParameterKind::order) {
      throw Refusal(place, "expected '" + std::string(parameters[i].name) + "' in " + signature(constructor));
    }
  }
  return bound;
}

/// The argument that a constructor of datatype.hpp rejected, if the expression has it.
std::int64_t place_of(const std::string& refused, const Constructor& constructor, const Arguments& bound,
                      std::int64_t otherwise) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (bound[i] != nullptr && refused.substr(0, refused.find('[')) == constructor.parameters[i].name) {
      return bound[i]->place;
    }
  }
  return otherwise;
}

std::optional<Named> named(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
  if (word.starts_with("MPI_")) word.erase(0, 4);
  if (word == "BOOL") word = "C_BOOL";
  for (int i = 0; i <= static_cast<int>(Named::two_integer); ++i) {
    const std::string_view known = name(static_cast<Named>(i)).substr(4);
    if (known == word || known == word + "_T") return static_cast<Named>(i);
  }
  return std::nullopt;
}

}  // namespace

bool is_constructor(std::string_view name) noexcept { return find(name) != nullptr; }

Datatype type_of(const Value& value) {
  if (const auto* type = std::get_if<Datatype>(&value.what)) return *type;
  if (const auto* word = std::get_if<std::string>(&value.what)) {
    if (const auto found = named(*word)) return *found;
    if (is_constructor(*word)) throw Refusal(value.place, "expected '(' behind '" + *word + "'");
    throw Refusal(value.place, "there is no datatype '" + *word + "'");
  }
  throw Refusal(value.place, "expected a datatype, not " + text_of(value));
}

Datatype construct(const std::string& name, std::vector<ExpressionArgument> arguments, std::int64_t place) {
  const Constructor* const constructor = find(name);
  if (constructor == nullptr) {
    std::string known;
    for (const Constructor& one : constructors) known += (known.empty() ? "" : ", ") + std::string(one.name);
    throw Refusal(place, "there is no constructor '" + name + "': expected one of " + known);
  }
  const Arguments bound = in_order(*constructor, arguments, place);
  try {
    return constructor->make(bound);
  } catch (const InvalidArgument& error) {
    throw Refusal(place_of(error.argument(), *constructor, bound, place), error.what());
  }
}

}  // namespace typewarp::explanation
