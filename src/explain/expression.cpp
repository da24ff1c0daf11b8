// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include "explain/constructors.hpp"

#include <array>
#include <cctype>
#include <limits>

namespace typewarp {
namespace {

using explanation::ExpressionArgument;
using explanation::Refusal;
using explanation::Value;
using List = std::vector<Value>;

/// Of values within values: more would overflow the stack of whoever walks the type.
constexpr int deepest_text = 500;
/// The most entries of all ranges and repeated lists of an expression. Each takes about 50 bytes.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 20;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The length of range(begin, end, step), which may exceed 63 bits.
std::uint64_t range_length(std::int64_t begin, std::int64_t end, std::int64_t step) {
  if (step > 0 ? begin >= end : begin <= end) return 0;
  const auto from = static_cast<std::uint64_t>(step > 0 ? begin : end);
  const auto to = static_cast<std::uint64_t>(step > 0 ? end : begin);
  const auto width = static_cast<std::uint64_t>(step);
  return (to - from - 1) / (step > 0 ? width : 0 - width) + 1;
}

/// Recursive descent:
///   value  = term { ("+" | "-") term }
///   term   = factor { "*" factor }
///   factor = "-" factor | number | list | "(" value ")" | word [ "(" arguments ")" ]
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Datatype parse() {
    const Value read = value();
    if (at_ < text_.size()) refuse("expected the end");
    return explanation::type_of(read);
  }

 private:
  std::int64_t column() const { return static_cast<std::int64_t>(at_) + 1; }

  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void refuse(const std::string& expected) {
    const char next = peek();
    const std::string found = at_ == text_.size() ? "the end" : "'" + std::string(1, next) + "'";
    throw Refusal(column(), expected + ", not " + found);
  }

  void expect(char c) {
    if (!take(c)) refuse("expected '" + std::string(1, c) + "'");
  }

  static std::int64_t as_number(const Value& value, char sign) {
    if (const auto* number = std::get_if<std::int64_t>(&value.what)) return *number;
    throw Refusal(value.place, "expected a number beside '" + std::string(1, sign) + "'");
  }

  static Value checked(bool overflows, std::int64_t result, std::int64_t place) {
    if (overflows) throw Refusal(place, "the number is beyond 64 bits");
    return {result, place};
  }

  void descend(std::int64_t place) {
    if (++depth_ > deepest_text) {
      throw Refusal(place, "nested more than " + std::to_string(deepest_text) + " deep");
    }
  }

  Value value() {
    descend(column());
    Value left = term();
    for (char sign = peek(); sign == '+' || sign == '-'; sign = peek()) {
      ++at_;
      const Value right = term();
      const std::int64_t a = as_number(left, sign), b = as_number(right, sign);
      std::int64_t sum = 0;
      const bool overflows =
          sign == '+' ? __builtin_add_overflow(a, b, &sum) : __builtin_sub_overflow(a, b, &sum);
      left = checked(overflows, sum, left.place);
    }
    --depth_;
    return left;
  }

  Value term() {
    Value left = factor();
    while (take('*')) {
      const Value right = factor();
      if (const auto* list = std::get_if<List>(&left.what)) {
        left = repeated(*list, as_number(right, '*'), left.place);
        continue;
      }
      std::int64_t product = 0;
      const bool overflows = __builtin_mul_overflow(as_number(left, '*'), as_number(right, '*'), &product);
      left = checked(overflows, product, left.place);
    }
    return left;
  }

  Value factor() {
    const char next = peek();
    const std::int64_t place = column();
    if (is_digit(next)) return number();
    if (is_letter(next)) return word();
    if (take('[')) return {entries(), place};
    if (take('(')) {
      Value inner = value();
      expect(')');
      return inner;
    }
    if (take('-')) {
      descend(place);
      std::int64_t negative = 0;
      const bool overflows = __builtin_sub_overflow(std::int64_t{0}, as_number(factor(), '-'), &negative);
      --depth_;
      return checked(overflows, negative, place);
    }
    refuse("expected a number, a list, or a datatype");
  }

  Value number() {
    const std::int64_t place = column();
    std::int64_t result = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(result, 10, &result) ||
          __builtin_add_overflow(result, text_[at_] - '0', &result)) {
        throw Refusal(place, "the number is beyond 64 bits");
      }
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view unit = text_.substr(begin, at_ - begin);
    constexpr std::array<std::string_view, 4> units{"", "Ki", "Mi", "Gi"};
    std::int64_t scale = 1;
    for (const std::string_view known : units) {
      if (unit == known) {
        const bool overflows = __builtin_mul_overflow(result, scale, &result);
        return checked(overflows, result, place);
      }
      scale *= 1024;
    }
    throw Refusal(static_cast<std::int64_t>(begin) + 1,
                  "expected a number or one of Ki, Mi, Gi behind it, not '" + std::string(unit) + "'");
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Value word() {
    const std::int64_t place = column();
    const std::string read = name();
    if (!take('(')) return {read, place};
    std::vector<ExpressionArgument> arguments;
    if (!take(')')) {
      do {
        arguments.push_back(argument());
      } while (take(','));
      if (!take(')')) refuse("expected ',' or ')'");
    }
    if (read == "range") return range(arguments, place);
    return {explanation::construct(read, std::move(arguments), place), place};
  }

  ExpressionArgument argument() {
    const std::size_t begin = at_;
    if (is_letter(peek())) {
      std::string called = name();
      if (take('=')) return {std::move(called), value()};
      at_ = begin;
    }
    return {{}, value()};
  }

  List entries() {
    List list;
    if (take(']')) return list;
    do {
      list.push_back(value());
    } while (take(','));
    if (!take(']')) refuse("expected ',' or ']'");
    return list;
  }

  /// Counts entries of a short expression before they are allocated.
  void add_entries(std::uint64_t more, std::int64_t place) {
    if (more > most_entries - entries_) {
      throw Refusal(place, "lists of more than " + std::to_string(most_entries) + " entries in all");
    }
    entries_ += more;
  }

  Value repeated(const List& list, std::int64_t times, std::int64_t place) {
    if (times < 0) throw Refusal(place, "a list repeated " + std::to_string(times) + " times");
    // No constructor takes a list of lists, and repeating one could take any amount of memory.
    for (const Value& entry : list) {
      if (std::holds_alternative<List>(entry.what)) throw Refusal(entry.place, "a list within a list");
    }
    std::uint64_t length = 0;
    const bool overflows = __builtin_mul_overflow(list.size(), static_cast<std::uint64_t>(times), &length);
    add_entries(overflows ? std::numeric_limits<std::uint64_t>::max() : length, place);
    List result;
    result.reserve(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < times && !list.empty(); ++i) {
      result.insert(result.end(), list.begin(), list.end());
    }
    return {std::move(result), place};
  }

  Value range(const std::vector<ExpressionArgument>& arguments, std::int64_t place) {
    std::vector<std::int64_t> numbers;
    for (const ExpressionArgument& argument : arguments) {
      if (!argument.name.empty()) throw Refusal(argument.value.place, "range has no named arguments");
      numbers.push_back(as_number(argument.value, ','));
    }
    if (numbers.empty() || numbers.size() > 3) {
      throw Refusal(place, "expected range(end), range(begin, end) or range(begin, end, step)");
    }
    const std::int64_t begin = numbers.size() == 1 ? 0 : numbers[0];
    const std::int64_t end = numbers.size() == 1 ? numbers[0] : numbers[1];
    const std::int64_t step = numbers.size() < 3 ? 1 : numbers[2];
    if (step == 0) throw Refusal(arguments[2].value.place, "a step of 0");
    const std::uint64_t length = range_length(begin, end, step);
    add_entries(length, place);
    List list;
    list.reserve(length);
    for (std::uint64_t i = 0; i < length; ++i) {
      list.push_back({static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) +
                                                i * static_cast<std::uint64_t>(step)),
                      place});
    }
    return {std::move(list), place};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::uint64_t entries_ = 0;  ///< of such lists so far
};

}  // namespace

ExpressionError::ExpressionError(std::int64_t column, const std::string& text)
    : Error("column " + std::to_string(column) + ": " + text), column_(column) {}

Datatype datatype_of(std::string_view expression) {
  try {
    return Parser(expression).parse();
  } catch (const Refusal& refusal) {
    throw ExpressionError(refusal.place, refusal.what());
  }
}

}  // namespace typewarp
