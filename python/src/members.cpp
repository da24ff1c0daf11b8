// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "members.hpp"

#include "element.hpp"

#include <charconv>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

/// What a reader does not understand.
struct Unknown {};

/// Deeper than types are nested, but not so deep that reading a format exhausts the stack.
constexpr int deepest = 100;

struct Member;

struct Type {
  std::int64_t bytes = 0;
  std::string name;             ///< of a type without members
  std::vector<Member> members;  ///< in the order of their bytes
  bool padding = false;         ///< bytes that mean nothing unless they have a name
};

struct Member {
  std::string name;
  std::vector<std::int64_t> shape;
  Type type;
  std::int64_t offset;  ///< from the beginning of its struct
};

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &result)) throw Unknown();
  return result;
}

void append(Type& structure, std::string name, std::vector<std::int64_t> shape, Type type) {
  std::int64_t bytes = type.bytes;
  for (const std::int64_t size : shape) bytes = product(bytes, size);
  const std::int64_t offset = structure.bytes;
  if (__builtin_add_overflow(offset, bytes, &structure.bytes)) throw Unknown();
  if (name.empty() && type.padding) return;
  structure.members.push_back({std::move(name), std::move(shape), std::move(type), offset});
}

Type text_type(char kind, std::int64_t characters, std::int64_t bytes_each, bool swapped) {
  std::string name;
  if (swapped && bytes_each > 1) name += '>';
  name.append(1, kind).append(std::to_string(characters));
  return {product(characters, bytes_each), std::move(name), {}, kind == 'V'};
}

/// The struct module's characters as PEP 3118 extends them.
class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}

  Type read() {
    Type all = read_members(0, 0);
    if (!rest_.empty()) throw Unknown();
    // One item without a name is a type, and no struct.
    if (all.members.size() != 1 || !all.members[0].name.empty() || !all.members[0].shape.empty()) return all;
    return std::move(all.members[0].type);
  }

 private:
  std::string_view rest_;
  char order_ = '@';  // goes on into the structs within, and behind them

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_one_of(std::string_view characters) const {
    return !rest_.empty() && characters.find(rest_.front()) != std::string_view::npos;
  }
  char next() {
    if (rest_.empty()) throw Unknown();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) throw Unknown();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  void read_order() {
    while (at_one_of("@=<>!^")) order_ = next();
  }
  bool swapped() const noexcept { return order_ == '>' || order_ == '!'; }

  /// Up to the end, or to the brace behind a struct that begins at `start`.
  Type read_members(std::int64_t start, int depth) {
    if (depth > deepest) throw Unknown();
    Type structure;
    for (read_order(); !rest_.empty() && rest_.front() != '}'; read_order()) {
      std::vector<std::int64_t> shape = read_shape();
      read_order();
      std::int64_t count = at_one_of("0123456789") ? number() : 1;
      read_order();
      Type type = read_type(structure, start, count, depth);
      if (count != 1) shape.push_back(count);
      append(structure, read_name(), std::move(shape), std::move(type));
    }
    return structure;
  }

  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    if (!take('(')) return shape;
    do shape.push_back(number());
    while (take(','));
    if (!take(')')) throw Unknown();
    return shape;
  }

  std::string read_name() {
    if (!take(':')) return {};
    const std::size_t end = rest_.find(':');
    if (end == std::string_view::npos) throw Unknown();
    std::string name(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return name;
  }

  /// What stands before a name. `count` is 1 afterwards where it was a length, and not how many there are.
  Type read_type(Type& structure, std::int64_t start, std::int64_t& count, int depth) {
    const char c = next();
    if (c == 'T') {
      if (!take('{')) throw Unknown();
      Type type = read_members(start + structure.bytes, depth + 1);
      if (!take('}')) throw Unknown();
      return type;
    }
    switch (c) {
      case 's':
        return text_type('S', std::exchange(count, 1), 1, false);
      case 'c':
        return text_type('S', 1, 1, false);
      case 'w':
        return text_type('U', std::exchange(count, 1), 4, swapped());
      case 'x':
        return text_type('V', std::exchange(count, 1), 1, false);
      default:
        return read_number(structure, start, c);
    }
  }

  Type read_number(Type& structure, std::int64_t start, char c) {
    std::string format(1, swapped() ? '>' : '<');
    format += c;
    if (c == 'Z') format += c = next();
    const std::int64_t alignment = size_of(c), bytes = format.size() > 2 ? 2 * alignment : alignment;
    // As the struct module has it; NumPy writes what lies between as bytes of its own.
    if (order_ == '@')
      append(structure, {}, {}, text_type('V', -(start + structure.bytes) & (alignment - 1), 1, false));
    return {bytes, Element::of_format(format.c_str(), bytes).name(), {}, false};
  }

  std::int64_t size_of(char c) const {
    const bool native = order_ == '@' || order_ == '^';
    switch (c) {
      case '?':
      case 'b':
      case 'B':
        return 1;
      case 'h':
      case 'H':
      case 'e':
        return 2;
      case 'i':
      case 'I':
      case 'f':
        return 4;
      case 'l':
      case 'L':
        return native ? sizeof(long) : 4;
      case 'q':
      case 'Q':
      case 'n':
      case 'N':
      case 'd':
        return 8;
      case 'g':
        return sizeof(long double);
      default:
        throw Unknown();
    }
  }
};

/// [(name, type), (name, type, shape)], a type a string or such a list, a name one or a pair of a title and
/// it.
Type type_of_descr(nb::handle list, int depth) {
  if (depth > deepest) throw Unknown();
  Type structure;
  for (const nb::handle entry : list) {
    if (!nb::isinstance<nb::tuple>(entry) || nb::len(entry) < 2 || nb::len(entry) > 3) throw Unknown();
    nb::object name = entry[0];
    if (nb::isinstance<nb::tuple>(name) && nb::len(name) == 2) name = name[1];
    std::vector<std::int64_t> shape;
    if (nb::len(entry) == 3) {
      const nb::object sizes = entry[2];
      if (!nb::isinstance<nb::tuple>(sizes)) throw Unknown();
      for (const nb::handle size : sizes) shape.push_back(nb::cast<std::int64_t>(size));
    }
    const nb::object told = entry[1];
    if (nb::isinstance<nb::list>(told)) {
      append(structure, nb::str(name).c_str(), std::move(shape), type_of_descr(told, depth + 1));
      continue;
    }
    if (!nb::isinstance<nb::str>(told)) throw Unknown();
    const std::string typestr = nb::borrow<nb::str>(told).c_str();
    if (typestr.size() < 3) throw Unknown();
    const Element element = Element::of_typestr(typestr);
    const bool padding = typestr[1] == 'V';
    append(structure, nb::str(name).c_str(), std::move(shape),
           {element.bytes(),
            padding ? std::string("V").append(std::to_string(element.bytes())) : element.meaning(),
            {},
            padding});
  }
  return structure;
}

/// Writes members, those of members as "a.b".
class Writer {
 public:
  void add(const Type& structure, const std::string& outer, std::int64_t start) {
    for (const Member& member : structure.members) {
      const std::int64_t offset = start + member.offset;
      const std::string name = outer.empty() ? member.name : outer + "." + member.name;
      if (member.type.name.empty() && member.shape.empty()) {
        add(member.type, name, offset);
        continue;
      }
      text_.append(text_.empty() ? "" : ", ").append(name).append(name.empty() ? "" : ": ");
      text_.append(words_of(member.type));
      std::int64_t bytes = member.type.bytes;
      for (std::size_t d = 0; d < member.shape.size(); ++d) {
        text_.append(d == 0 ? "[" : ", ").append(std::to_string(member.shape[d]));
        bytes *= member.shape[d];
      }
      if (!member.shape.empty()) text_ += ']';
      if (offset != end_) text_.append(" at ").append(std::to_string(offset));
      end_ = offset + bytes;
    }
  }
  static std::string words_of(const Type& type) {
    if (type.members.empty()) return type.name;
    Writer writer;
    writer.add(type, {}, 0);
    return writer.text_.empty() ? "" : "{" + writer.text_ + "}";
  }

 private:
  std::string text_;
  std::int64_t end_ = 0;  ///< of the last member
};

}  // namespace

std::string words_of_format(std::string_view format, std::int64_t bytes) {
  try {
    const Type type = FormatReader(format).read();
    if (type.bytes > bytes) throw Unknown();
    return Writer::words_of(type);
  } catch (const Unknown&) {
    return std::string(format);
  }
}

std::string words_of_descr(nb::handle descr) {
  try {
    return Writer::words_of(type_of_descr(descr, 0));
  } catch (const Unknown&) {
    return nb::repr(descr).c_str();
  } catch (const nb::cast_error&) {
    return nb::repr(descr).c_str();
  }
}

}  // namespace typewarp::python
